"""Shows Spark the data source `kafkalab` of an installation, so that no session registers it.

Spark imports the installed packages whose names begin with `pyspark_`, and takes their
DefaultSource. setup.py installs this folder as `pyspark_kafkalab`.
"""

try:
    from kafkalab.logsets.source import KafkaLines as DefaultSource
except ModuleNotFoundError:
    # Spark imports this for any other Python source, too, which must not fail without our extras.
    pass
else:
    __all__ = ["DefaultSource"]
