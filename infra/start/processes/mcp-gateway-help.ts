export const help = `Probe Mesh, one MCP gateway in a process of its own.

  npm run mcp-gateway
  npm run mcp-gateway -- --help           this text

Environment
  GATEWAY_KEY       its credential at the control plane: 32 characters or more, the same in each; required
  CONTROL_PLANE_URL where it calls the REST API (from PUBLIC_URL)
  HOST, MCP_PORT    where it answers POST /public and POST /mcp, /healthz, /readyz, /metrics (127.0.0.1, 8081)
  TLS_CERT, TLS_KEY files in PEM: it answers by TLS (none: without)
  MCP_URL, PUBLIC_URL  what it and the control plane are called from outside: requests for other host names
                    are refused, and from pages of other sites
  MCP_ALLOWED_HOSTS, MCP_ALLOWED_ORIGINS  further host names of requests and of pages, commas between
  METRICS_TOKEN     what readers of /metrics send as Authorization: Bearer (without: this machine only)
  TRUST_PROXY, LOG_LEVEL

GATEWAY_KEY and METRICS_TOKEN may be files: GATEWAY_KEY_FILE=/run/secrets/...

It keeps nothing: any number of them may answer behind one address, and each may be stopped at any
time. Stop it with SIGTERM: it finishes what is under way, within 15 seconds.
`
