package ops_test

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/goccy/go-yaml"
	appsv1 "k8s.io/api/apps/v1"
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
	"github.com/assayhq/assay/store/storetest"
)

// files lists the checkout's files of a pattern.
func files(t *testing.T, pattern ...string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(append([]string{root}, pattern...)...))
	if err != nil || len(list) == 0 {
		t.Fatalf("no %s: %v", filepath.Join(pattern...), err)
	}
	return list
}

// accepts has a daemon read its command line: of all that can be wrong with it, only
// the missing configuration file may be.
func accepts(t *testing.T, args []string) {
	t.Helper()
	dir, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains([]string{"apiserver", "syncd"}, filepath.Base(args[0])) {
		t.Errorf("%q is no program of assay", args[0])
		return
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, filepath.Base(args[0])), args[1:]...)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if err == nil && bytes.Contains(out, []byte("Usage:")) {
		return // it was asked for help
	}
	if bytes.Contains(out, []byte("invalid command line")) || !bytes.Contains(out, []byte("/etc/assay/assay.yaml")) && !bytes.Contains(out, []byte("database.url")) {
		t.Errorf("%v is not understood: %v\n%s", args, err, out)
	}
}

// TestUnits has systemd check the units, with the programs where they were built.
func TestUnits(t *testing.T) {
	t.Parallel()
	dir, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	var units []string
	command := regexp.MustCompile(`(?m)^ExecStart=(.*)$`)
	for _, file := range files(t, "configs", "systemd", "*.service") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := command.FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s starts nothing", file)
		}
		accepts(t, strings.Fields(string(m[1])))
		unit := filepath.Join(t.TempDir(), filepath.Base(file))
		if err := os.WriteFile(unit, bytes.ReplaceAll(text, []byte("/usr/local/bin/"), []byte(dir+"/")), 0o600); err != nil {
			t.Fatal(err)
		}
		units = append(units, unit)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		storetest.LeaveOut(t, "systemd-analyze is not here: the units are not checked by systemd")
	}
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", append([]string{"verify", "--man=no"}, units...)...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	for _, unit := range units {
		// 0 is safe, 10 is not: systemd calls up to 2 "ok".
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--threshold=20", unit).CombinedOutput()
		if err != nil {
			t.Errorf("systemd-analyze security: %v\n%s", err, out)
		}
	}
}

// TestCompose has Compose's own library load the file, which checks it against the
// schema, and holds it against the Dockerfile, the programs and the configuration.
func TestCompose(t *testing.T) {
	t.Parallel()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "configs", "docker", "compose.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	image := string(read(t, "configs", "docker", "Dockerfile"))
	for name, s := range project.Services {
		if s.Image != "assay" {
			continue
		}
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s may do more than it needs", name)
		}
		if text, err := os.ReadFile(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil || string(text) != image {
			t.Errorf("%s is built from %s in %s: %v", name, s.Build.Dockerfile, s.Build.Context, err)
		}
		accepts(t, s.Command)
		environ := slices.DeleteFunc(environment(t, s.Environment), func(e string) bool { return strings.Contains(e, "_FILE=") })
		if _, err := configs.Load("", environ); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, program := range []string{"apiserver", "syncd"} {
		if !strings.Contains(image, "./"+program) || !strings.Contains(image, "/out/"+program) {
			t.Errorf("the image lacks %s", program)
		}
	}
	for _, folder := range regexp.MustCompile(`(?m)^COPY ([\w.]+ .*)$`).FindAllStringSubmatch(image, -1) {
		for _, source := range strings.Fields(folder[1])[:len(strings.Fields(folder[1]))-1] {
			if _, err := os.Stat(filepath.Join(root, source)); err != nil {
				t.Error(err)
			}
		}
	}
	goVersion := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(read(t, "go.mod"))
	if !strings.Contains(image, "FROM golang:"+string(goVersion[1])+"-") {
		t.Errorf("the image is not built with Go %s", goVersion[1])
	}
	if user := regexp.MustCompile(`(?m)^USER (\d+):`).FindStringSubmatch(image); user == nil || user[1] == "0" {
		t.Error("the image runs as root")
	}
}

// environment is a service's environment; each variable has to be one that the
// configuration knows.
func environment(t *testing.T, all types.MappingWithEquals) (list []string) {
	t.Helper()
	known := make(map[string]bool)
	for _, key := range configs.Keys() {
		known[configs.Variable(key)] = true
	}
	for name, value := range all {
		if !known[name] {
			t.Errorf("%s is no key of the configuration", name)
		}
		list = append(list, name+"="+*value)
	}
	return list
}

// manifests decodes the Kubernetes manifests strictly: a field or kind that
// Kubernetes does not know fails.
func manifests(t *testing.T) (all []runtime.Object) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	for _, file := range files(t, "configs", "kubernetes", "*.yaml") {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
		for {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			object, _, err := decoder.Decode(document, nil, nil)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			all = append(all, object)
		}
	}
	return all
}

// TestManifests checks that the manifests are Kubernetes', belong together, and
// give pods no more than they need.
func TestManifests(t *testing.T) {
	t.Parallel()
	all := manifests(t)
	var config *corev1.ConfigMap
	pods := make(map[string]corev1.PodTemplateSpec)
	for _, o := range all {
		switch o := o.(type) {
		case *corev1.ConfigMap:
			config = o
		case *appsv1.Deployment:
			pods[o.Name] = o.Spec.Template
			if o.Spec.Replicas == nil || *o.Spec.Replicas < 2 {
				t.Errorf("%s has no second pod", o.Name)
			}
			checkSelector(t, o.Name, o.Spec.Selector, o.Spec.Template)
			for _, c := range o.Spec.Template.Spec.Containers {
				checkProbes(t, c)
			}
		case *batchv1.Job:
			pods[o.Name] = o.Spec.Template
		}
	}
	for _, o := range all {
		switch o := o.(type) {
		case *policyv1.PodDisruptionBudget:
			checkSelector(t, "budget of "+o.Name, o.Spec.Selector, pods[o.Name])
		case *corev1.Service:
			checkSelector(t, "service "+o.Name, &metav1.LabelSelector{MatchLabels: o.Spec.Selector}, pods[o.Name])
		}
	}
	if config == nil || len(pods) != 3 {
		t.Fatalf("%d kinds of pods, configuration %v; want apiserver, syncd and migrate with one", len(pods), config)
	}
	file := filepath.Join(t.TempDir(), "assay.yaml")
	text := config.Data["assay.yaml"]
	var ports struct {
		Listen string
		Debug  struct{ Syncd, APIServer string }
	}
	if err := yaml.Unmarshal([]byte(text), &ports); err != nil {
		t.Fatal(err)
	}
	secrets := regexp.MustCompile(`(?m)^ *url_file: .*\n|^keyring_file: .*\n`)
	if err := os.WriteFile(file, []byte(strings.Replace(secrets.ReplaceAllString(text, ""), "database:\n", "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := configs.Load(file, nil); err != nil {
		t.Error(err)
	}
	for name, pod := range pods {
		checkPod(t, name, pod.Spec)
		for _, c := range pod.Spec.Containers {
			accepts(t, slices.Concat(c.Command, c.Args))
			for _, p := range c.Ports {
				if where := fmt.Sprint(":", p.ContainerPort); !strings.HasSuffix(ports.Listen, where) && !strings.HasSuffix(ports.Debug.Syncd, where) && !strings.HasSuffix(ports.Debug.APIServer, where) {
					t.Errorf("%s: nobody listens on %d", name, p.ContainerPort)
				}
			}
		}
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

// checkPod wants no rights, and volumes that are there.
func checkPod(t *testing.T, name string, p corev1.PodSpec) {
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
	for _, job := range []string{"apiserver", "syncd"} {
		var deployment struct {
			Spec struct {
				Template struct {
					Metadata struct{ Labels map[string]string }
					Spec     struct {
						Containers []struct{ Ports []struct{ Name string } }
					}
				}
			}
		}
		readPart(t, &deployment, "configs", "kubernetes", job+".yaml")
		pod := deployment.Spec.Template
		meta := map[string]string{"__meta_kubernetes_pod_name": job + "-1"}
		for name, value := range pod.Metadata.Labels {
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
				got[r.TargetLabel] = strings.ReplaceAll(cmp.Or(r.Replacement, "$1"), "$1", value)
			}
		}
		if got["job"] != "assay-"+job || got["instance"] != job+"-1" {
			t.Errorf("%s is scraped as %v", job, got)
		}
	}
}
