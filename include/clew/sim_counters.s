# Inline counters of blocks for gcc, which only knows calls (-fsanitize-coverage=trace-pc). `clew cc
# --sim` hands this file to the assembler in front of what the compiler made: each call of the
# callback becomes an increment of a byte, as clang's inline-8bit-counters have it, and the block's
# address goes to a table. A call clobbers the flags, so the increment may. All other calls are
# spelled callq, the same instruction.
	.macro call target:vararg
	.ifeqs "\target", "__sanitizer_cov_trace_pc@PLT"
	clew_count \@
	.else
	.ifeqs "\target", "__sanitizer_cov_trace_pc"
	clew_count \@
	.else
	.ifeqs "\target", "*__sanitizer_cov_trace_pc@GOTPCREL(%rip)"
	clew_count \@
	.else
	callq \target
	.endif
	.endif
	.endif
	.endm

	.macro clew_count number
	.pushsection clew_cntrs, "aw", @progbits
.Lclew_counter_\number:
	.byte 0
	.popsection
.Lclew_block_\number:
	.pushsection clew_pcs, "aw", @progbits
	.balign 8
	.quad .Lclew_block_\number
	.quad 0
	.popsection
	incb .Lclew_counter_\number(%rip)
	.endm
