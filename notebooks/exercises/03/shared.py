# %% question
CLUSTERS = ("A", "B", "C")
