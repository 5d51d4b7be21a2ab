export const help = `Probe Mesh, one agent in a process of its own: of a region, or an account's own.

  npm run agent
  npm run agent -- --help         this text

Environment
  REGION            its region, three lower-case letters; required
  NATS_URL          nats:// or tls:// URLs, commas between; required
  AGENT_CREDENTIALS file that "admin agent enroll" wrote; read anew at each connecting
  AGENT             its name, one running agent each, the same after a restart
                    (region and host name)
  DATA_DIR          where its spool and its cache of assignments live (.data)
  SPOOL_BYTES_MAX   readings kept on disk while the bus is away (268435456)
  TARGET_ALLOW      CIDRs that may be probed although they are not public; CIDR@accountId opens one
                    to the checks of that account alone
  BLOCKED_TARGETS   names (with all below them) and CIDRs that do not want to be probed
  TARGET_REQUESTS_PER_SECOND  connections to one address, of all agents of the region (100)
  PUBLIC_ADDRESSES  addresses and CIDRs that its requests come from, for /probes.json (unknown)
  PUBLIC_URL        of the control planes: its User-Agent names /probes there (it names nothing)
  CANARIES          host:port,... reached while its own network works; none does without
  CHROMIUM          path of the Chromium of browser checks, or off (where it usually is)
  CHROMIUM_WITHOUT_SANDBOX  yes: browser checks run also where its sandbox does not work (they are off)
  JOURNAL           file that takes the id of every reading, for an audit
  HOST, PORT        where it answers /healthz, /readyz and /metrics (127.0.0.1, 9464)
  METRICS_TOKEN     what readers of /metrics send as Authorization: Bearer (without: this machine only)
  LOG_LEVEL         fatal, error, warn, info, debug, trace or silent (info)

METRICS_TOKEN may be a file: METRICS_TOKEN_FILE=/run/secrets/...

A private agent, which an account has enrolled (Agents in the dashboard, or "service agents enroll"), is
told these in the place of REGION, NATS_URL, AGENT, TARGET_ALLOW and CHROMIUM:
  MESH_URL          https:// address of the service; required
  AGENT_CREDENTIALS file that holds its token; required
  PRIVATE_TARGETS   what it may reach although it is not public: 10.0.0.0/8,db.internal. Loopback,
                    link-local and metadata addresses, and its own, only where each is named itself

Agents of one region share its assignments. One that is cut off goes on measuring, also after a
restart. Stop it with SIGTERM: it hands over its share and finishes what is under way, within
15 seconds. It exits with 1 when another agent takes over its name.

Exit codes
  77                the mesh does not let it in: credentials revoked, expired or unknown; what it measured is kept
  78                what it was given does not fit together: credentials of another region, say
  1                 anything else that ended it; 0: it was asked to stop
`
