#!/bin/sh
# Two jobs that must not work at the same time. Each looks whether there is a lock file before it
# makes one; both may find none. With "fixed", making a directory is both the look and the lock.
rm -rf lock out
touch out

work()
{
    if [ "$2" = fixed ]; then
        mkdir lock 2>/dev/null || return
    else
        [ ! -e lock ] || return
        echo "$1" >lock
    fi
    echo "$1" >>out
}

work a "$1" &
work b "$1" &
wait
count=0
while read -r line; do
    count=$((count + 1))
done <out
[ $count = 1 ]
