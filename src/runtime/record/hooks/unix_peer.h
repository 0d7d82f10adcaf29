/* The peer of a connected Unix stream socket. An accepted connection has no name of its own, so its
 * addresses do not identify the peer. The kernel reports the peer's inode through its socket
 * diagnosis interface (NETLINK_SOCK_DIAG), which needs no privilege. */
#ifndef CLEW_RUNTIME_RECORD_HOOKS_UNIX_PEER_H
#define CLEW_RUNTIME_RECORD_HOOKS_UNIX_PEER_H

#include <stdint.h>

/* The inode of the peer of the connected Unix socket with this inode, 0 when it has none or the
 * kernel does not say. */
uint32_t unix_peer(uint32_t inode);

#endif
