/** A small internet of real web servers, their host names, and the expected results. */

export const zone = 'example-shop.net'

/** The addresses of each server, by IPv4 and IPv6. The agent and the browser have `own`. */
export const at = {
  own: { v4: '93.184.215.1', v6: '2606:2800:220:1::1' },
  /** nginx: HTTP/1.1 and HTTP/2, and plain HTTP. */
  nginx: { v4: '93.184.215.14', v6: '2606:2800:220:1::14' },
  /** nginx: negotiates HTTP/2 or nothing. */
  nginxH2: { v4: '93.184.215.15', v6: '2606:2800:220:1::15' },
  /** The same, with one request per connection. */
  nginxH2Once: { v4: '93.184.215.16', v6: '2606:2800:220:1::16' },
  /** caddy with its defaults. */
  caddy: { v4: '93.184.215.17', v6: '2606:2800:220:1::17' },
  /** caddy: negotiates HTTP/2 or nothing, and serves clients without a negotiated protocol. */
  caddyH2: { v4: '93.184.215.18', v6: '2606:2800:220:1::18' },
  /** haproxy: HTTP/2 regardless of the negotiation. */
  haproxyH2: { v4: '93.184.215.19', v6: '2606:2800:220:1::19' },
  /** Reachable, but no program listens. */
  closed: { v4: '93.184.215.30', v6: '2606:2800:220:1::30' },
  /** Every packet to it is lost. */
  silent: { v4: '93.184.220.14', v6: '2606:2800:220:2::14' },
  /** An address without a route. */
  lost: { v4: '93.184.221.14', v6: '2606:2800:220:3::14' },
} as const

const { own: _own, silent: _silent, lost: _lost, ...present } = at
const { closed: _closed, ...listening } = present
/** The addresses of all machines, and of those with a server. */
export const presentAt = Object.values(present)
export const listeningAt = Object.values(listening)

export const canaryHost = 'canary.probe-canaries.net'

export type ServerCase = {
  /** The first label of its name. */
  name: string
  /** In the order of the DNS records. */
  addresses: readonly string[]
  url: string
  /** The last accepted status; null: no answer. */
  status: number | null
  /** The verdict and cause of the agent. */
  expected: string
  /** Part of the agent's notes. */
  notes?: string
}

const of = (
  name: string,
  addresses: readonly string[],
  { status = 200, expected = 'up ok', notes, path = '/', scheme = 'https' }: Partial<Expectation> = {},
): ServerCase => ({
  name,
  addresses,
  url: `${scheme}://${name}.${zone}${path}`,
  status,
  expected,
  ...(notes === undefined ? {} : { notes }),
})
type Expectation = Pick<ServerCase, 'status' | 'expected'> & {
  notes: string
  path: string
  scheme: 'http' | 'https'
}
const down = (cause: string) => ({ status: null, expected: `down ${cause}` })
const plain = { scheme: 'http' } as const
const { nginx, nginxH2, nginxH2Once, caddy, caddyH2, haproxyH2, closed, silent, lost } = at
const unavailable = { path: '/down', status: 503, expected: 'down status_mismatch' }
const alone = { notes: 'only HTTP/2' }

const ofAddresses: readonly ServerCase[] = [
  of('both', [nginx.v4, nginx.v6]),
  of('four', [nginx.v4]),
  of('six', [nginx.v6]),
  of('refused-four', [closed.v4, nginx.v6], { notes: 'IPv6 works' }),
  of('refused-four-plain', [closed.v4, nginx.v6], { ...plain, notes: 'IPv6 works' }),
  of('refused-four-caddy', [closed.v4, caddy.v6], { notes: 'IPv6 works' }),
  of('refused-four-h2', [closed.v4, nginxH2.v6], alone),
  of('refused-six', [nginx.v4, closed.v6]),
  of('refused-six-caddy', [caddy.v4, closed.v6]),
  of('refused-six-h2', [nginxH2.v4, closed.v6], alone),
  of('refused-both', [closed.v4, closed.v6], down('connection_refused')),
  of('silent-four', [silent.v4, nginx.v6], { notes: 'IPv6 works' }),
  of('silent-four-h2', [silent.v4, nginxH2.v6], alone),
  of('silent-six', [nginx.v4, silent.v6]),
  of('silent-both', [silent.v4, silent.v6], down('connect_timeout')),
  of('refused-and-silent', [closed.v4, silent.v6], down('connection_refused')),
  of('silent-and-refused', [silent.v4, closed.v6], down('connection_refused')),
  of('lost-four', [lost.v4, nginx.v6], { notes: 'IPv6 works' }),
  of('lost-four-h2', [lost.v4, nginxH2.v6], alone),
  of('lost-six', [nginx.v4, lost.v6]),
  of('lost-both', [lost.v4, lost.v6], down('host_unreachable')),
  of('refused-one', [closed.v4, nginx.v4], { notes: 'another works' }),
]

const redirect = (to: string) => ({ path: `/to?https://${to}.${zone}/`, scheme: 'http' as const })

const ofProtocols: readonly ServerCase[] = [
  of('nginx-large', [nginx.v4], { path: '/large' }),
  of('nginx-down', [nginx.v4], unavailable),
  of('nginx-h2', [nginxH2.v4], alone),
  of('nginx-h2-large', [nginxH2.v4], { ...alone, path: '/large' }),
  of('nginx-h2-packed', [nginxH2.v4], { ...alone, path: '/packed' }),
  of('nginx-h2-down', [nginxH2.v4], { ...unavailable, ...alone }),
  of('nginx-h2-missing', [nginxH2.v4], { ...unavailable, ...alone, path: '/missing', status: 404 }),
  of('nginx-h2-redirect', [nginxH2.v4], { ...alone, path: '/away' }),
  of('nginx-h2-once', [nginxH2Once.v4], alone),
  of('nginx-h2-once-large', [nginxH2Once.v4], { ...alone, path: '/large' }),
  of('nginx-h2-once-redirect', [nginxH2Once.v4], { ...alone, path: '/away' }),
  of('caddy', [caddy.v4]),
  of('caddy-large', [caddy.v4], { path: '/large' }),
  of('caddy-down', [caddy.v4], unavailable),
  of('caddy-h2', [caddyH2.v4]),
  of('caddy-h2-large', [caddyH2.v4], { path: '/large' }),
  of('caddy-h2-down', [caddyH2.v4], unavailable),
  of('haproxy-h2', [haproxyH2.v4], alone),
  of('haproxy-h2-large', [haproxyH2.v4], { ...alone, path: '/large' }),
  of('haproxy-h2-down', [haproxyH2.v4], { ...unavailable, ...alone }),
  of('to-nginx-h2', [nginx.v4], { ...redirect('nginx-h2'), ...alone }),
  of('to-caddy-h2', [nginx.v4], redirect('caddy-h2')),
  of('to-haproxy-h2', [nginx.v4], { ...redirect('haproxy-h2'), ...alone }),
]

export const serverCases: readonly ServerCase[] = [...ofAddresses, ...ofProtocols]

/** The input of the processes in their namespaces. */
export type ServersStage = {
  folder: string
  home: string
  programs: { nginx: string; caddy: string; haproxy: string }
}

export type ServersReport = {
  versions: string
  /** The status that each accepted, with its message. */
  cases: Record<
    string,
    {
      chromium: { status: number | null; message: string }
      curl: { status: number | null; message: string }
      readings: {
        verdict: string
        cause: string
        reason: string | null
        status: number | null
        notes: string[]
        certificate: boolean
      }[]
    }
  >
}
