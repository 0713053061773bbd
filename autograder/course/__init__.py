"""From what authors write to what is handed out: notebooks, sealed verdicts,
packages that give nothing away."""
