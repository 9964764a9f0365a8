{{/* The name of everything in a release: the release's own, with the chart's unless it has it already. */}}
{{- define "assay.name" -}}
{{- ternary .Release.Name (printf "%s-assay" .Release.Name) (contains "assay" .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels that select pods, which never change. Called with the root and a component. */}}
{{- define "assay.selector" -}}
app.kubernetes.io/name: assay
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "assay.labels" -}}
{{ include "assay.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The host of config.public_url, in small letters as Kubernetes wants it. */}}
{{- define "assay.host" -}}
{{- regexReplaceAll "^https?://|:[0-9]+$" .Values.config.public_url "" | lower -}}
{{- end -}}

{{/* What is wrong with the values, and what to do about it. The schema says what has a wrong form. */}}
{{- define "assay.check" -}}
{{- $v := .Values -}}
{{- if not $v.image.repository -}}
{{- fail "image.repository is not set: build the image (docs/guides/install.md), push it to your registry, and give its name, such as --set image.repository=registry.example.com/assay" -}}
{{- end -}}
{{- if not $v.secret.name -}}
{{- fail "secret.name is not set: create a secret with the database's URLs and the keyring (docs/guides/kubernetes.md), and give its name, such as --set secret.name=assay" -}}
{{- end -}}
{{- if not $v.config.public_url -}}
{{- fail "config.public_url is not set: give the address at which people reach assay, such as --set config.public_url=https://assay.example.com" -}}
{{- end -}}
{{- $config := $v.config -}}
{{- range $path := list "listen" "keyring_file" "database.url_file" "debug.syncd" "debug.apiserver" "tls.cert_file" "tls.key_file" -}}
{{- if include "assay.lookup" (list $config $path) -}}
{{- fail (printf "config.%s is set by the chart, because its pods depend on it: remove it from your values" $path) -}}
{{- end -}}
{{- end -}}
{{- range $path, $key := dict "database.url" "ownerURLKey, secret.apiserverURLKey and secret.syncdURLKey" "speech.api_key" "speechAPIKeyKey" "speech.api_key_file" "speechAPIKeyKey" "prose.api_key" "proseAPIKeyKey" "prose.api_key_file" "proseAPIKeyKey" "oidc.client_secret" "oidcClientSecretKey" "oidc.client_secret_file" "oidcClientSecretKey" -}}
{{- if include "assay.lookup" (list $config $path) -}}
{{- fail (printf "config.%s is a secret, which values never hold: remove it, put it into the secret that secret.name names, and name its key by secret.%s" $path $key) -}}
{{- end -}}
{{- end -}}
{{- range $path := list "database.direct_url" "database.replica_url" -}}
{{- if regexMatch "://[^/?@]+:[^/?@]*@|\\bpassword=" (include "assay.lookup" (list $config $path)) -}}
{{- fail (printf "config.%s has a password, which values never hold: leave user and password out, and each process uses those of its own URL in the secret" $path) -}}
{{- end -}}
{{- end -}}
{{- $blobs := include "assay.lookup" (list $config "blobs.url") -}}
{{- if not $blobs -}}
{{- fail "config.blobs.url is not set: give the bucket for recordings, such as --set 'config.blobs.url=s3://assay-recordings?region=eu-central-1'" -}}
{{- end -}}
{{- if and (hasPrefix "file:" $blobs) (not $v.pods.volumeMounts) -}}
{{- fail "config.blobs.url is a folder, which pods lose when they end and do not share: give a bucket (s3://…), or mount a volume that all pods share by pods.volumes and pods.volumeMounts" -}}
{{- end -}}
{{- if and $v.ingress.enabled (not $v.config.trusted_proxies) -}}
{{- fail "config.trusted_proxies is empty: with an ingress all requests would seem to come from its controller, and share one limit. Give the address range of its pods, such as --set 'config.trusted_proxies={10.0.0.0/8}'" -}}
{{- end -}}
{{- $host := include "assay.host" . -}}
{{- if and $v.ingress.enabled (regexMatch "^([0-9.]+|\\[.*)$" $host) -}}
{{- fail (printf "config.public_url has the address %s, and an ingress needs a name: give one that leads to the ingress controller, such as https://assay.example.com, or disable the ingress and set service.type to LoadBalancer" $host) -}}
{{- end -}}
{{- if and $v.autoscaling.enabled (gt (int $v.autoscaling.minReplicas) (int $v.autoscaling.maxReplicas)) -}}
{{- fail (printf "autoscaling.minReplicas is %d and autoscaling.maxReplicas is %d: the first must not be larger" (int $v.autoscaling.minReplicas) (int $v.autoscaling.maxReplicas)) -}}
{{- end -}}
{{- end -}}

{{/* The value at a path of one or two names in a map, or nothing. */}}
{{- define "assay.lookup" -}}
{{- $names := splitList "." (index . 1) -}}
{{- $value := index (index . 0) (first $names) -}}
{{- if and (gt (len $names) 1) $value -}}
{{- $value = index $value (last $names) -}}
{{- end -}}
{{- $value | default "" -}}
{{- end -}}

{{/* The configuration file. */}}
{{- define "assay.config" -}}
{{- include "assay.check" . -}}
{{- $files := "/etc/assay/secrets" -}}
{{- $set := dict "database" (dict "url_file" (printf "%s/database-url" $files)) "keyring_file" (printf "%s/keyring.yaml" $files) -}}
{{- $_ := set $set "listen" ":8080" -}}
{{- $_ := set $set "debug" (dict "syncd" ":9101" "apiserver" ":9102") -}}
{{- if .Values.secret.speechAPIKeyKey -}}
{{- $_ := set $set "speech" (dict "api_key_file" (printf "%s/speech-api-key" $files)) -}}
{{- end -}}
{{- if .Values.secret.proseAPIKeyKey -}}
{{- $_ := set $set "prose" (dict "api_key_file" (printf "%s/prose-api-key" $files)) -}}
{{- end -}}
{{- if .Values.secret.oidcClientSecretKey -}}
{{- $_ := set $set "oidc" (dict "client_secret_file" (printf "%s/oidc-client-secret" $files)) -}}
{{- end -}}
{{- mergeOverwrite (deepCopy .Values.config) $set | toYaml -}}
{{- end -}}

{{- define "assay.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{- end -}}
{{- end -}}
{{- end -}}

{{/*
A pod. Called with the root, the component and its values, the command and its arguments,
the key of the secret with its database's URL, the name of the ConfigMap, its ports, and
the account it runs as.
*/}}
{{- define "assay.pod" -}}
{{- $v := .root.Values -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .account }}
serviceAccountName: {{ . }}
{{- end }}
terminationGracePeriodSeconds: 35 # 25 at most after SIGTERM, and the wait before it
{{- with $v.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
containers:
  - name: {{ .component }}
    image: {{ include "assay.image" .root | quote }}
    imagePullPolicy: {{ $v.image.pullPolicy }}
    command: [{{ .command }}]
    args: {{ toJson .args }}
    {{- with $v.pods.envFrom }}
    envFrom: {{ toYaml . | nindent 6 }}
    {{- end }}
    {{- with $v.pods.env }}
    env: {{ toYaml . | nindent 6 }}
    {{- end }}
    {{- with .ports }}
    ports:
      {{- range $name, $port := . }}
      - {name: {{ $name }}, containerPort: {{ $port }}}
      {{- end }}
    {{- if .http }}
    lifecycle: # new connections come until the services and proxies know that the pod ends
      preStop: {exec: {command: [sleep, "5"]}}
    {{- end }}
    startupProbe: # the schema may be waited for
      httpGet: {path: /healthz, port: private}
      periodSeconds: 2
      failureThreshold: 60
    livenessProbe: # it does not ask the database: a database that is away restarts nothing
      httpGet: {path: /healthz, port: private}
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet: {path: /readyz, port: private}
      periodSeconds: 5
      timeoutSeconds: 3
    {{- end }}
    resources: {{ toYaml .values.resources | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: {drop: [ALL]}
    volumeMounts:
      - {name: config, mountPath: /etc/assay/assay.yaml, subPath: assay.yaml, readOnly: true}
      - {name: secrets, mountPath: /etc/assay/secrets, readOnly: true}
      - {name: tmp, mountPath: /tmp}
      {{- with $v.pods.volumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  - name: config
    configMap: {name: {{ .config }}}
  - name: secrets
    secret:
      secretName: {{ $v.secret.name }}
      defaultMode: 0440
      items: # the database as a user of its own
        - {key: {{ .urlKey }}, path: database-url}
        - {key: {{ $v.secret.keyringKey }}, path: keyring.yaml}
        {{- with $v.secret.speechAPIKeyKey }}
        - {key: {{ . }}, path: speech-api-key}
        {{- end }}
        {{- with $v.secret.proseAPIKeyKey }}
        - {key: {{ . }}, path: prose-api-key}
        {{- end }}
        {{- with $v.secret.oidcClientSecretKey }}
        - {key: {{ . }}, path: oidc-client-secret}
        {{- end }}
  - name: tmp # nothing else is writable
    emptyDir: {sizeLimit: {{ .values.tmpSize | default "100Mi" }}}
  {{- with $v.pods.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
