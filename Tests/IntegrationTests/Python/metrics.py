"""Fetches a server's metrics, reads them as Prometheus does (the OpenMetrics parser of PyPI's
prometheus-client, which refuses what the specification does), and prints a line for each sample."""

import sys
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families

request = urllib.request.Request(sys.argv[1], headers={"Accept": "application/openmetrics-text"})
with urllib.request.urlopen(request, timeout=20) as answer:
    assert answer.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
    text = answer.read().decode()

for family in text_string_to_metric_families(text):
    assert family.documentation, family.name
    for sample in family.samples:
        labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
        print(family.type, sample.name, labels or "-", f"{sample.value:g}")
