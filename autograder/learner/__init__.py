"""What a learner does on their own machine beside the cells: from `make lab` to the first cell,
their copies, their progress, and the myth court."""
