package ops_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/assayhq/assay/configs"
)

// required are the values that an operator has to set.
const required = `
image: {repository: registry.example.com/assay}
secret: {name: assay}
config:
  public_url: https://assay.example.com:8443
  blobs: {url: "s3://assay-recordings?region=eu-central-1"}
`

// everything turns on all that the chart has.
const everything = `
image: {repository: registry.example.com/assay, digest: "sha256:` + "0123456789012345678901234567890123456789012345678901234567890123" + `", pullSecrets: [{name: registry}]}
secret: {name: keys, ownerURLKey: a, apiserverURLKey: b, syncdURLKey: c, keyringKey: d, speechAPIKeyKey: e, proseAPIKeyKey: f, oidcClientSecretKey: g}
config:
  public_url: https://Assay.example.com
  trusted_proxies: [10.0.0.0/8, "fd00::/8"]
  blobs: {url: "s3://assay-recordings?region=eu-central-1"}
  database: {max_connections: 30, pooler: transaction, direct_url: "postgres://postgres.example:5432/assay"}
  sync: {requests_per_second: 2.5, audit: "03:00", history_days: 90}
  speech: {url: "https://speech.example.com", model: small}
  prose: {url: "https://prose.example.com", model: small}
  oidc: {issuer: "https://id.example.com", client_id: assay, roles: [risk=reviewer]}
  debug: {pprof: true}
  log: {level: debug}
apiserver: {podAnnotations: {prometheus.io/scrape: "false"}, nodeSelector: {disk: ssd}, tolerations: [{key: a, operator: Exists}], affinity: {nodeAffinity: {}}}
syncd: {replicas: 3, tmpSize: 50Gi}
autoscaling: {enabled: true, maxReplicas: 9}
ingress: {enabled: true, className: nginx, annotations: {a: b}, tlsSecret: certificate}
service: {type: LoadBalancer, port: 8000, annotations: {a: b}}
serviceAccount: {annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::1:role/assay"}}
networkPolicy: {apiFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress}}}]}
serviceMonitor: {enabled: true, jobSuffix: -eu, classicHistograms: true, labels: {release: prometheus}}
prometheusRule: {enabled: true, labels: {release: prometheus}}
dashboards: {enabled: true, labels: {grafana_dashboard: "1", team: risk}, annotations: {grafana_folder: assay}}
pods:
  envFrom: [{secretRef: {name: bucket}}]
  volumes: [{name: roots, configMap: {name: roots}}]
  volumeMounts: [{name: roots, mountPath: /etc/roots}]
`

// renderChart renders the chart as helm install does, and returns what it writes by file.
func renderChart(t *testing.T, release, values string) (map[string]string, error) {
	t.Helper()
	chart, err := loader.LoadDir(filepath.Join(root, "configs", "kubernetes", "assay"))
	if err != nil {
		t.Fatal(err)
	}
	if err := chart.Validate(); err != nil {
		t.Fatal(err)
	}
	read, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(chart, read, chartutil.ReleaseOptions{Name: release, Namespace: "firm", IsInstall: true}, nil)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, all)
}

// decodeManifests decodes manifests strictly: a field or kind that Kubernetes or the
// Prometheus Operator does not know fails.
func decodeManifests(t *testing.T, written map[string]string) (all []runtime.Object) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme, monitoringv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	for _, file := range slices.Sorted(maps.Keys(written)) {
		if !strings.HasSuffix(file, ".yaml") {
			continue
		}
		documents := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(written[file])))
		for {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			var content map[string]any
			if err := yaml.Unmarshal(document, &content); err == nil && content == nil {
				continue // comments alone
			}
			object, _, err := decoder.Decode(document, nil, nil)
			if err != nil {
				t.Fatalf("%s: %v\n%s", file, err, document)
			}
			all = append(all, object)
		}
	}
	return all
}

// release is what the chart has written, by kind and name.
type release struct {
	configs  map[string]*corev1.ConfigMap
	accounts map[string]bool
	pods     map[string]corev1.PodTemplateSpec
	jobs     map[string]*batchv1.Job
	services map[string]*corev1.Service
	rest     []runtime.Object
}

func newRelease(all []runtime.Object) release {
	r := release{map[string]*corev1.ConfigMap{}, map[string]bool{}, map[string]corev1.PodTemplateSpec{}, map[string]*batchv1.Job{}, map[string]*corev1.Service{}, nil}
	for _, o := range all {
		switch o := o.(type) {
		case *corev1.ConfigMap:
			r.configs[o.Name] = o
		case *corev1.ServiceAccount:
			r.accounts[o.Name] = true
		case *appsv1.Deployment:
			r.pods[o.Name] = o.Spec.Template
			r.rest = append(r.rest, o)
		case *batchv1.Job:
			r.pods[o.Name], r.jobs[o.Name] = o.Spec.Template, o
		case *corev1.Service:
			r.services[o.Name] = o
		default:
			r.rest = append(r.rest, o)
		}
	}
	return r
}

// TestChart renders the chart with few and with all values, and checks that what it writes is
// Kubernetes', belongs together, and gives pods no more than they need. It takes long because it waits
// until the programs are built that the pods run.
func TestChart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, release, values string
		prefix                string
		objects               int
	}{
		{"what is required", "assay", required, "assay", 11},
		{"everything", "assay", everything, "assay", 25},
		{"another name", "risk", required, "risk-assay", 11},
		{"dashboards", "risk", required + "dashboards: {enabled: true}\n", "risk-assay", 17},
		{"without network policies, with one pod", "assay-test", required + "networkPolicy: {enabled: false}\napiserver: {replicas: 1}\n", "assay-test", 9},
		{"recordings in pods of their own", "media", required + "apiserver: {replicas: 0}\n", "media-assay", 11},
		{"a folder that all pods share", "assay", strings.Replace(required, "s3://assay-recordings?region=eu-central-1", "file:///blobs", 1) +
			"pods: {volumes: [{name: blobs, persistentVolumeClaim: {claimName: blobs}}], volumeMounts: [{name: blobs, mountPath: /blobs}]}\n", "assay", 11},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			written, err := renderChart(t, tt.release, tt.values)
			if err != nil {
				t.Fatal(err)
			}
			all := decodeManifests(t, written)
			if len(all) != tt.objects {
				t.Errorf("%d objects, want %d", len(all), tt.objects)
			}
			r := newRelease(all)
			for _, name := range []string{"-apiserver", "-syncd", "-migrate"} {
				if _, ok := r.pods[tt.prefix+name]; !ok || len(r.pods) != 3 {
					t.Fatalf("pods of %v, want %s", slices.Sorted(maps.Keys(r.pods)), tt.prefix+name)
				}
			}
			for name, pod := range r.pods {
				r.checkPod(t, name, pod)
			}
			for name, s := range r.services {
				r.checkService(t, name, s)
			}
			for _, o := range r.rest {
				r.checkObject(t, o)
			}
			r.checkDashboards(t, tt.prefix)
			r.checkHook(t, tt.prefix+"-migrate")
			notes, serves := written["assay/templates/NOTES.txt"], !strings.Contains(tt.values, "apiserver: {replicas: 0}")
			if strings.Contains(notes, "kubectl -n firm exec deploy/"+tt.prefix+"-apiserver -- apiserver bootstrap") != serves {
				t.Errorf("the notes say how to make the first owner although no pod can, or do not say it:\n%s", notes)
			}
		})
	}
}

// TestChartPlacesAllPods keeps all pods, that of the migrations too, on nodes of one kind: the image may be for no
// other.
func TestChartPlacesAllPods(t *testing.T) {
	t.Parallel()
	const place = "{podAnnotations: {a: b}, nodeSelector: {kubernetes.io/arch: amd64}, tolerations: [{key: dedicated, operator: Exists}], affinity: {podAntiAffinity: {}}}\n"
	written, err := renderChart(t, "assay", required+"apiserver: "+place+"syncd: "+place+"migrate: "+place)
	if err != nil {
		t.Fatal(err)
	}
	for name, pod := range newRelease(decodeManifests(t, written)).pods {
		s := pod.Spec
		if s.NodeSelector["kubernetes.io/arch"] != "amd64" || len(s.Tolerations) != 1 || s.Affinity == nil || pod.Annotations["a"] != "b" {
			t.Errorf("%s runs on nodes %v that have %v, near %v, with %v", name, s.NodeSelector, s.Tolerations, s.Affinity, pod.Annotations)
		}
	}
}

// TestChartGivesVariables gives all pods a variable from a secret that somebody else has made, with keys of its own.
func TestChartGivesVariables(t *testing.T) {
	t.Parallel()
	written, err := renderChart(t, "assay", required+"pods: {env: [{name: AWS_SECRET_ACCESS_KEY, valueFrom: {secretKeyRef: {name: minio, key: secret}}}]}\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, pod := range newRelease(decodeManifests(t, written)).pods {
		if env := pod.Spec.Containers[0].Env; len(env) != 1 || env[0].ValueFrom.SecretKeyRef.Key != "secret" {
			t.Errorf("%s has the variables %v", name, env)
		}
	}
}

// checkPod checks a pod's rights, commands, probes, and what it is given.
func (r release) checkPod(t *testing.T, name string, pod corev1.PodTemplateSpec) {
	t.Helper()
	checkRights(t, name, pod.Spec)
	checkEnd(t, name, pod.Spec)
	if pod.Annotations["prometheus.io/scrape"] == "true" {
		t.Errorf("%s is scraped under a name that alerts do not know", name)
	}
	if account := pod.Spec.ServiceAccountName; account != "" && !r.accounts[account] {
		t.Errorf("%s runs as %s, which is not there", name, account)
	}
	config, files := r.readMounts(t, name, pod.Spec)
	settings := checkConfiguration(t, config, files)
	for _, c := range pod.Spec.Containers {
		accepts(t, slices.Concat(c.Command, c.Args))
		if r.jobs[name] == nil {
			checkProbes(t, c)
		}
		for _, p := range c.Ports {
			want := map[string]string{"http": settings.Listen, "private": settings.Debug.Syncd}[p.Name]
			if c.Name == "apiserver" && p.Name == "private" {
				want = settings.Debug.APIServer
			}
			if got := fmt.Sprint(":", p.ContainerPort); got != want {
				t.Errorf("%s: port %s is %s, and the configuration has %s", name, p.Name, got, want)
			}
		}
	}
}

// readMounts returns the configuration of a pod, and the names of its files with secrets.
func (r release) readMounts(t *testing.T, name string, pod corev1.PodSpec) (config string, files map[string]bool) {
	t.Helper()
	files = map[string]bool{}
	for _, v := range pod.Volumes {
		switch v.Name {
		case "config":
			if m := r.configs[v.ConfigMap.Name]; m != nil {
				config = m.Data["assay.yaml"]
			}
		case "secrets":
			var keys []string
			for _, i := range v.Secret.Items {
				files["/etc/assay/secrets/"+i.Path] = true
				keys = append(keys, i.Key)
			}
			slices.Sort(keys)
			if len(slices.Compact(keys)) != len(v.Secret.Items) || v.Secret.SecretName == "" || *v.Secret.DefaultMode != 0o440 {
				t.Errorf("%s gets %v of secret %q", name, keys, v.Secret.SecretName)
			}
		}
	}
	if config == "" {
		t.Errorf("%s has no configuration", name)
	}
	return config, files
}

// checkConfiguration has the daemons' own check read a configuration whose secrets are in the
// files that a pod has.
func checkConfiguration(t *testing.T, text string, files map[string]bool) configs.Config {
	t.Helper()
	dir := t.TempDir()
	text = regexp.MustCompile(`(_file: )(/etc/assay/secrets/\S+)`).ReplaceAllStringFunc(text, func(setting string) string {
		key, file, _ := strings.Cut(setting, ": ")
		if !files[file] {
			t.Errorf("%s is in no secret: %v", setting, files)
		}
		secret := "secret"
		if filepath.Base(file) == "database-url" {
			secret = "postgres://user:password@postgres.example:5432/assay"
		}
		local := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(local, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
		return key + ": " + local
	})
	settings, err := configs.Parse("assay.yaml", []byte(text), nil)
	if err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	return settings
}

// checkService wants a service to lead to a port of the pods that it selects.
func (r release) checkService(t *testing.T, name string, s *corev1.Service) {
	t.Helper()
	found := 0
	for _, pod := range r.pods {
		if !labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(pod.Labels)) {
			continue
		}
		found++
		for _, port := range s.Spec.Ports {
			if !hasPort(pod, port.TargetPort.String()) {
				t.Errorf("service %s leads to port %s, which its pods do not have", name, port.TargetPort.String())
			}
		}
	}
	if found != 1 {
		t.Errorf("service %s leads to %d kinds of pods", name, found)
	}
}

func hasPort(pod corev1.PodTemplateSpec, name string) bool {
	return slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
	})
}

// checkObject checks what an object refers to.
func (r release) checkObject(t *testing.T, o runtime.Object) {
	t.Helper()
	switch o := o.(type) {
	case *appsv1.Deployment:
		checkSelector(t, o.Name, o.Spec.Selector, o.Spec.Template)
	case *policyv1.PodDisruptionBudget:
		checkSelector(t, "budget of "+o.Name, o.Spec.Selector, r.pods[o.Name])
	case *autoscalingv2.HorizontalPodAutoscaler:
		if _, ok := r.pods[o.Spec.ScaleTargetRef.Name]; !ok || *o.Spec.MinReplicas > o.Spec.MaxReplicas {
			t.Errorf("autoscaler: %+v", o.Spec)
		}
	case *networkingv1.NetworkPolicy:
		r.checkPolicy(t, o)
	case *networkingv1.Ingress:
		backend := o.Spec.Rules[0].HTTP.Paths[0].Backend.Service
		s := r.services[backend.Name]
		if s == nil || s.Spec.Ports[0].Name != backend.Port.Name || o.Spec.Rules[0].Host != "assay.example.com" || o.Spec.TLS[0].Hosts[0] != "assay.example.com" {
			t.Errorf("ingress: %+v", o.Spec)
		}
	case *monitoringv1.ServiceMonitor:
		s := r.services[o.Name]
		selector, err := metav1.LabelSelectorAsSelector(&o.Spec.Selector)
		if err != nil || s == nil || !selector.Matches(labels.Set(s.Labels)) || s.Spec.Ports[0].Name != o.Spec.Endpoints[0].Port || o.Labels["release"] != "prometheus" {
			t.Errorf("monitor %s: %+v: %v", o.Name, o.Spec, err)
		}
		for name, other := range r.services {
			if name != o.Name && selector.Matches(labels.Set(other.Labels)) {
				t.Errorf("monitor %s also selects %s", o.Name, name)
			}
		}
		if classic := o.Spec.ScrapeClassicHistograms; classic == nil || !*classic {
			t.Errorf("monitor %s: rules have no histograms to read where native ones are scraped", o.Name)
		}
		if job := *o.Spec.Endpoints[0].RelabelConfigs[0].Replacement; job != "assay-"+o.Labels["app.kubernetes.io/component"]+"-eu" {
			t.Errorf("monitor %s: the job is %s", o.Name, job)
		}
	case *monitoringv1.PrometheusRule:
		if len(o.Spec.Groups) == 0 {
			t.Errorf("%s has no rules", o.Name)
		}
	default:
		t.Errorf("no rule for %T", o)
	}
}

// checkPolicy wants a policy to name ports of pods that it selects.
func (r release) checkPolicy(t *testing.T, p *networkingv1.NetworkPolicy) {
	t.Helper()
	selector, err := metav1.LabelSelectorAsSelector(&p.Spec.PodSelector)
	if err != nil || selector.Empty() {
		t.Fatalf("policy %s selects %v: %v", p.Name, selector, err)
	}
	for _, rule := range p.Spec.Ingress {
		for _, port := range rule.Ports {
			found := false
			for _, pod := range r.pods {
				found = found || selector.Matches(labels.Set(pod.Labels)) && hasPort(pod, port.Port.String())
			}
			if !found {
				t.Errorf("policy %s opens %s, which no pod has", p.Name, port.Port.String())
			}
		}
	}
}

// checkDashboards wants all dashboards or none, each as it is, and where the sidecar of Grafana
// looks for them.
func (r release) checkDashboards(t *testing.T, prefix string) {
	t.Helper()
	found := 0
	for file := range dashboards(t) {
		m := r.configs[prefix+"-dashboard-"+strings.TrimSuffix(file, ".json")]
		if m == nil {
			continue
		}
		found++
		if got, want := m.Data["assay-"+file], strings.TrimSpace(string(read(t, "configs", "grafana", "dashboards", file))); got != want {
			t.Errorf("%s has a dashboard of %d bytes that is not %s", m.Name, len(got), file)
		}
		if m.Labels["grafana_dashboard"] != "1" {
			t.Errorf("%s has the labels %v", m.Name, m.Labels)
		}
	}
	if found != 0 && found != len(dashboards(t)) {
		t.Errorf("%d dashboards of %d: each needs a link in configs/kubernetes/assay/files/dashboards", found, len(dashboards(t)))
	}
}

// checkHook wants the migrations, with all that they need, to run before everything else.
func (r release) checkHook(t *testing.T, name string) {
	t.Helper()
	config, job := r.configs[name], r.jobs[name]
	if config == nil || job == nil {
		t.Fatalf("configuration %v, job %v of %s", config, job, name)
	}
	for _, annotations := range []map[string]string{config.Annotations, job.Annotations} {
		if annotations["helm.sh/hook"] != "pre-install,pre-upgrade" {
			t.Errorf("%s is made at %q", name, annotations["helm.sh/hook"])
		}
	}
	if config.Annotations["helm.sh/hook-weight"] != "-1" || job.Annotations["helm.sh/hook-weight"] != "0" || job.Spec.Template.Spec.ServiceAccountName != "" {
		t.Errorf("%s needs what is made later", name)
	}
}

// TestChartRefusesValues gives the chart wrong values. Each answer names the value, and says
// what is wrong or what to do.
func TestChartRefusesValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, from, to, err string }{
		{"no image", "image: {repository: registry.example.com/assay}", "", "image.repository is not set: build the image"},
		{"a tag in the repository", "com/assay}", `com/assay:1.0}`, "at '/image/repository': 'registry.example.com/assay:1.0' does not match pattern"},
		{"a digest of another form", "com/assay}", `com/assay, digest: abc}`, "at '/image/digest'"},
		{"no secret", "secret: {name: assay}", "", "secret.name is not set: create a secret with the database's URLs and the keyring"},
		{"a secret in plain text", "secret: {name: assay}", "secret: {name: assay, apiserverURL: 'postgres://x:y@z/a'}", "at '/secret': additional properties 'apiserverURL' not allowed"},
		{"no public URL", "public_url: https://assay.example.com:8443", "", "config.public_url is not set: give the address at which people reach assay"},
		{"a public URL with a path", ":8443", "/assay", "at '/config/public_url': 'https://assay.example.com/assay' does not match pattern"},
		{"no bucket", "blobs: {url", "log: {level: info} #", "config.blobs.url is not set: give the bucket for recordings"},
		{"a folder of the pod", "s3://assay", "file:///assay", "config.blobs.url is a folder, which pods lose when they end and do not share"},
		{"a bucket of another kind", "s3://assay", "gs://assay", "at '/config/blobs/url'"},
		{"a database's URL", "config:", "config:\n  database: {url: 'postgres://x:y@z/a'}", "config.database.url is a secret, which values never hold: remove it, put it into the secret that secret.name names"},
		{"a password past the pooler", "config:", "config:\n  database: {direct_url: 'postgres://x:y@z/a'}", "config.database.direct_url has a password, which values never hold: leave user and password out"},
		{"a password of the replica", "config:", "config:\n  database: {replica_url: 'postgres://x@z:5432/a?sslmode=require&password=y'}", "config.database.replica_url has a password"},
		{"an API key", "config:", "config:\n  speech: {api_key: abc}", "name its key by secret.speechAPIKeyKey"},
		{"a client's secret", "config:", "config:\n  oidc: {client_secret: abc}", "name its key by secret.oidcClientSecretKey"},
		{"an address", "config:", "config:\n  listen: 0.0.0.0:80", "config.listen is set by the chart, because its pods depend on it: remove it"},
		{"an address of metrics", "config:", "config:\n  debug: {syncd: ':1'}", "config.debug.syncd is set by the chart"},
		{"a key that the configuration lacks", "config:", "config:\n  sync: {requests: 5}", "at '/config/sync': additional properties 'requests' not allowed"},
		{"a section that the configuration lacks", "config:", "config:\n  sinc: {}", "at '/config': additional properties 'sinc' not allowed"},
		{"a proxy's name", "config:", "config:\n  trusted_proxies: [nginx]", "at '/config/trusted_proxies/0': 'nginx' does not match pattern"},
		{"an ingress without proxies", "config:", "ingress: {enabled: true}\nconfig:", "config.trusted_proxies is empty: with an ingress all requests would seem to come from its controller"},
		{"an ingress for an address", "config:\n  public_url: https://assay.example.com", "ingress: {enabled: true}\nconfig:\n  trusted_proxies: [10.0.0.0/8]\n  public_url: https://10.1.2.3", "config.public_url has the address 10.1.2.3, and an ingress needs a name"},
		{"an ingress for an IPv6 address", "config:\n  public_url: https://assay.example.com", "ingress: {enabled: true}\nconfig:\n  trusted_proxies: [10.0.0.0/8]\n  public_url: https://[2001:db8::1]", "config.public_url has the address [2001:db8::1], and an ingress needs a name"},
		{"a word for a number", "config:", "syncd: {replicas: two}\nconfig:", "at '/syncd/replicas': got string, want integer"},
		{"fewer pods than none", "config:", "apiserver: {replicas: -1}\nconfig:", "at '/apiserver/replicas': minimum: got -1, want 0"},
		{"a misspelt value", "config:", "apiserver: {replica: 3}\nconfig:", "at '/apiserver': additional properties 'replica' not allowed"},
		{"a misspelt limit", "config:", "syncd: {resources: {limit: {memory: 1Gi}}}\nconfig:", "at '/syncd/resources': additional properties 'limit' not allowed"},
		{"a misspelt part", "config:", "network: {}\nconfig:", "additional properties 'network' not allowed"},
		{"dashboards that nobody finds", "config:", "dashboards: {labels: {grafana_dashboard: 1}}\nconfig:", "at '/dashboards/labels/grafana_dashboard': got number, want string"},
		{"fewest above most", "config:", "autoscaling: {enabled: true, minReplicas: 9}\nconfig:", "autoscaling.minReplicas is 9 and autoscaling.maxReplicas is 6: the first must not be larger"},
		{"a kind of service", "config:", "service: {type: External}\nconfig:", "at '/service/type': value must be one of 'ClusterIP', 'NodePort', 'LoadBalancer'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := renderChart(t, "assay", strings.Replace(required, tt.from, tt.to, 1))
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}

// TestChartKnowsConfiguration compares the keys that the chart's schema allows with those of the
// configuration. Secrets are in the schema too, so that the chart can say where they belong.
func TestChartKnowsConfiguration(t *testing.T) {
	t.Parallel()
	type node struct{ Properties map[string]json.RawMessage }
	var schema struct{ Properties struct{ Config node } }
	if err := json.Unmarshal(read(t, "configs", "kubernetes", "assay", "values.schema.json"), &schema); err != nil {
		t.Fatal(err)
	}
	var got []string
	for name, raw := range schema.Properties.Config.Properties {
		var section node
		if err := json.Unmarshal(raw, &section); err != nil {
			t.Fatal(err)
		}
		if section.Properties == nil {
			got = append(got, name)
		}
		for key := range section.Properties {
			got = append(got, name+"."+key)
		}
	}
	slices.Sort(got)
	want := append(configs.Keys(), "speech.api_key", "prose.api_key", "oidc.client_secret")
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys of the configuration (-want +schema):\n%s", diff)
	}
}

func checkSelector(t *testing.T, what string, s *metav1.LabelSelector, pod corev1.PodTemplateSpec) {
	t.Helper()
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil || selector.Empty() || !selector.Matches(labels.Set(pod.Labels)) {
		t.Errorf("%s selects %v, and the pods are %v: %v", what, selector, pod.Labels, err)
	}
}

// checkProbes wants each probe at a port that the container has.
func checkProbes(t *testing.T, c corev1.Container) {
	t.Helper()
	for name, probe := range map[string]*corev1.Probe{"/healthz": c.LivenessProbe, "/readyz": c.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != name {
			t.Errorf("%s is not asked for %s", c.Name, name)
			continue
		}
		if !slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == probe.HTTPGet.Port.String() }) {
			t.Errorf("%s is asked at %s, which is no port of it", c.Name, probe.HTTPGet.Port.String())
		}
	}
}

// checkEnd wants a pod that answers requests to accept them until the cluster sends it none, and
// each pod to have the time that its process takes to stop.
func checkEnd(t *testing.T, name string, p corev1.PodSpec) {
	t.Helper()
	const stop = 25 // seconds, in which each of the processes stops
	wait := 0
	for _, c := range p.Containers {
		if !slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == "http" }) {
			continue
		}
		if c.Lifecycle == nil || c.Lifecycle.PreStop == nil || c.Lifecycle.PreStop.Exec == nil || c.Lifecycle.PreStop.Exec.Command[0] != "sleep" {
			t.Errorf("%s: %s refuses connections as soon as its pod ends", name, c.Name)
			continue
		}
		wait, _ = strconv.Atoi(c.Lifecycle.PreStop.Exec.Command[1]) // 0 is too short
		if wait < 5 {
			t.Errorf("%s: %s waits for %d s", name, c.Name, wait)
		}
	}
	if grace := *p.TerminationGracePeriodSeconds; grace < int64(stop+wait) {
		t.Errorf("%s is killed after %d s", name, grace)
	}
}

// checkRights wants no rights, and volumes that are there.
func checkRights(t *testing.T, name string, p corev1.PodSpec) {
	t.Helper()
	s := p.SecurityContext
	if s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%s: pods may do more than they need", name)
	}
	if p.AutomountServiceAccountToken == nil || *p.AutomountServiceAccountToken {
		t.Errorf("%s gets a token of the cluster", name)
	}
	for _, c := range p.Containers {
		s := c.SecurityContext
		if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem ||
			s.Capabilities == nil || !slices.Contains(s.Capabilities.Drop, corev1.Capability("ALL")) {
			t.Errorf("%s: container %s may do more than it needs", name, c.Name)
		}
		if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
			t.Errorf("%s: container %s has no bounds", name, c.Name)
		}
		for _, m := range c.VolumeMounts {
			if !slices.ContainsFunc(p.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name }) {
				t.Errorf("%s mounts %s, which is not there", name, m.Name)
			}
		}
	}
}

// TestKubernetesScrape: the scrape configuration finds the pods of both processes,
// under the names that alerts and dashboards know. Debian's promtool knows no
// Kubernetes, so that it cannot look at the file.
func TestKubernetesScrape(t *testing.T) {
	t.Parallel()
	var file struct {
		ScrapeConfigs []struct {
			RelabelConfigs []struct {
				Action       string
				SourceLabels []string `yaml:"source_labels"`
				Regex        string
				TargetLabel  string `yaml:"target_label"`
				Replacement  string
			} `yaml:"relabel_configs"`
		} `yaml:"scrape_configs"`
	}
	readPart(t, &file, "configs", "kubernetes", "scrape.yml")
	if len(file.ScrapeConfigs) != 1 {
		t.Fatalf("%d scrape configurations", len(file.ScrapeConfigs))
	}
	written, err := renderChart(t, "assay", required)
	if err != nil {
		t.Fatal(err)
	}
	r := newRelease(decodeManifests(t, written))
	for _, job := range []string{"apiserver", "syncd"} {
		pod := r.pods["assay-"+job]
		meta := map[string]string{"__meta_kubernetes_pod_name": job + "-1"}
		for name, value := range pod.Labels {
			meta["__meta_kubernetes_pod_label_"+strings.NewReplacer(".", "_", "/", "_").Replace(name)] = value
		}
		for _, port := range pod.Spec.Containers[0].Ports {
			if port.Name == "private" {
				meta["__meta_kubernetes_pod_container_port_name"] = port.Name
			}
		}
		got := make(map[string]string)
		for _, r := range file.ScrapeConfigs[0].RelabelConfigs {
			value := meta[r.SourceLabels[0]]
			switch {
			case r.Action == "keep" && value != r.Regex:
				t.Errorf("%s is not kept: %s is %q, want %q", job, r.SourceLabels[0], value, r.Regex)
			case r.Action == "replace":
				replacement := r.Replacement
				if replacement == "" {
					replacement = "$1"
				}
				got[r.TargetLabel] = strings.ReplaceAll(replacement, "$1", value)
			}
		}
		if got["job"] != "assay-"+job || got["instance"] != job+"-1" {
			t.Errorf("%s is scraped as %v", job, got)
		}
	}
}
