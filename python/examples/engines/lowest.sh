#!/bin/sh
# Plays the first legal action that it is told of, among cards the lowest one: the smallest engine.
# The protocol: agents/engine/PROTOCOL.md. (awk would do, but some wait for a full buffer of input.)
while read -r command rest; do
  case $command in
    hello) echo "hello 1 deterministic name Lowest card" ;;
    go)
      legal=${rest##* legal }
      echo "bestaction ${legal%% *}"
      ;;
    quit) exit 0 ;;
  esac
done
