import { parseArgs } from 'node:util'

export const help = `Probe Mesh, everything in one process on embedded stores.

  npm start                       start on http://127.0.0.1:8080
  npm start -- [flags]

Flags
  --port N          port of the REST API (PORT, 8080)
  --host ADDRESS    address to listen on (HOST, 127.0.0.1)
  --data-dir DIR    where stores, spools and credentials.json live (DATA_DIR, .data)
  --no-seed         do not create the example account and its checks on the first start
  --help            this text

Environment (flags win)
  TLS_CERT, TLS_KEY               files in PEM: it answers by TLS (none: without)
  HOST, PORT, PUBLIC_URL, DATA_DIR, REGIONS=iad,sjc,fra,nrt
  ALLOWED_HOSTS=name,...          further host names of requests (that of PUBLIC_URL, and this machine)
  MCP_PORT=8081, MCP_URL, MCP_ALLOWED_HOSTS, MCP_ALLOWED_ORIGINS   the MCP gateway
  DATABASE_URL, CLICKHOUSE_URL, NATS_URL    use these servers instead of embedded ones
  TARGET_ALLOW=127.0.0.0/8,...    addresses that may be probed although they are not public;
                                  CIDR@accountId: by the checks of that account alone
  CHANNEL_ALLOW=10.0.0.0/8,...    addresses that notification channels may reach although they are
                                  not public (as TARGET_ALLOW for the first account, none for others)
  BLOCKED_TARGETS=name,cidr,...   what does not want to be probed
  TARGET_REQUESTS_PER_MINUTE, TARGET_REQUESTS_PER_SECOND   what one host, one address is asked
  RDAP_BOOTSTRAP=none             asks no registry when the domains of checks expire
  PUBLIC_ADDRESSES, CONTACT_URL   where probes come from and who is asked about them, at /probes
  CATALOG_FILE, CATALOG_INTERVAL_SECONDS=60   the services that everybody may ask about, how often
  SECRETS_KEY                     encrypts channel credentials (made in DATA_DIR/secrets.key)
  GATEWAY_KEY                     what MCP gateways prove themselves by (none is trusted)
  METRICS_TOKEN, METRICS_TOKEN_FILE   what readers of /metrics send (made in credentials.json)
  SMTP_URL, MAIL_FROM             the mail server and who mail is from (none: mail is kept, not sent)
  SIGN_UP=closed                  nobody opens an account by themselves (open)
  CANARIES=host:port,...          what a probe reaches while its own network works
  CHROMIUM_WITHOUT_SANDBOX=yes    browser checks run also where its sandbox does not work (they are off)
  CHROMIUM=path                   of the Chromium of browser checks, or off (where it usually is)
  BUDGET_SCALE, TIER_OVERRIDES, TRUST_PROXY, SPOOL_BYTES_MAX, JOURNAL_DIR, LOG_LEVEL

Stop it with Ctrl-C: it finishes what is under way, within 15 seconds.
`

export type Flags =
  | { kind: 'help' }
  | { kind: 'wrong'; problem: string }
  | { kind: 'run'; seed: boolean; environment: Record<string, string | undefined> }

/** The command line over the environment: a flag is the same as its variable, and wins. */
export const parseFlags = (
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Flags => {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'data-dir': { type: 'string' },
        seed: { type: 'boolean', default: true },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowNegative: true,
      strict: true,
    })
    if (values.help) return { kind: 'help' }
    return {
      kind: 'run',
      seed: values.seed,
      environment: {
        ...environment,
        ...(values.port === undefined ? {} : { PORT: values.port }),
        ...(values.host === undefined ? {} : { HOST: values.host }),
        ...(values['data-dir'] === undefined ? {} : { DATA_DIR: values['data-dir'] }),
      },
    }
  } catch (error) {
    return { kind: 'wrong', problem: error instanceof Error ? error.message : String(error) }
  }
}
