# %% question
THREE = ("A", "B", "C")
