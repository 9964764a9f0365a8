// assay's dashboards, alerts and recording rules as a mixin (https://monitoring.mixins.dev), for those
// who keep their monitoring in jsonnet. Everybody else loads the files that it imports.
{
  grafanaDashboards+:: {
    'assay-api.json': import 'grafana/dashboards/api.json',
    'assay-database.json': import 'grafana/dashboards/database.json',
    'assay-jobs.json': import 'grafana/dashboards/jobs.json',
    'assay-overview.json': import 'grafana/dashboards/overview.json',
    'assay-sync.json': import 'grafana/dashboards/sync.json',
    'assay-webhooks.json': import 'grafana/dashboards/webhooks.json',
  },
  prometheusAlerts+:: { groups+: std.parseYaml(importstr 'prometheus/alerts.yml').groups },
  prometheusRules+:: { groups+: std.parseYaml(importstr 'prometheus/recording.yml').groups },
}
