"""Measures whether a program can tell a simulated log from a real one.

A classifier sees half of a folder of recordings and our replays of them, and judges the other half.
It is asked four times, each time with other traits of a log: see `traits`. Half of its answers are
right when it cannot tell. The modules: `traits` (what it sees), `halves` (trains and tests it),
`giveaways` (what differs most), `telling` (all recordings of a folder).
"""
