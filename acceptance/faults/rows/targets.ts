import type { FaultRow } from './row.ts'

/** Faults of targets: slow, huge, broken or hostile servers, and misleading names. */
export const targetRows: readonly FaultRow[] = [
  {
    id: 'F-08',
    fault: 'An endless body, or a decompression bomb',
    promise:
      'The agent reads 256 KB after decompression and refuses a second encoding. Memory does not grow with the body.',
    proofs: [
      { file: 'probe-agent/src/run/hostile-targets.test.ts' },
      { file: 'probe-agent/src/request/body.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-09',
    fault: 'A server that sends slowly or not at all',
    promise: 'One deadline covers the whole attempt, by the wall clock of the process.',
    proofs: [
      { file: 'probe-agent/src/run/hostile-targets.test.ts' },
      { file: 'probe-agent/src/request/request.test.ts', test: 'ends a' },
      { file: 'probe-agent/src/request/request.test.ts', test: 'holds for all hops together' },
      { file: 'probe-agent/src/probes/journey/deadlines.test.ts' },
      {
        file: 'acceptance/mesh/path.test.ts',
        test: 'a hanging target fails within its deadline',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-10',
    fault: 'Redirect loops, too many redirects, forbidden redirects',
    promise:
      'The agent follows at most 20 hops (three in a journey step), by GET, and checks each one. It sends no credentials to another host. A forbidden destination is the target’s fault.',
    proofs: [{ file: 'probe-agent/src/request/redirect.test.ts' }],
    notShown: null,
  },
  {
    id: 'F-11',
    fault: 'Names that resolve to internal addresses, at once or later; resolvers that fail',
    promise:
      'The agent resolves each name once, checks every address, and connects to a checked one. A resolution failure counts if the same resolver answers for other names and the zone’s own servers do not contradict it. A failing resolver of ours is no fault of the target.',
    proofs: [
      { file: 'acceptance/faults/proofs/names.test.ts' },
      { file: 'acceptance/faults/proofs/resolving.test.ts' },
      { file: 'probe-agent/src/request/guard.test.ts' },
      { file: 'probe-agent/src/run/guard-routes.test.ts' },
      { file: 'probe-agent/src/run/names.test.ts', test: 'a name that the resolver' },
      { file: 'probe-agent/src/dns-evidence/query-zone-servers.test.ts' },
      {
        file: 'control-plane/src/notifications/channels/channel-sender.test.ts',
        test: 'addresses',
      },
    ],
    notShown: null,
  },
  {
    id: 'F-14',
    fault: 'A distant target with two address families, one of them broken',
    promise:
      'No false outage: the agent chooses the address. If it does not connect or respond, the agent also tries the other family and reports that. An address without a route counts if others of its family are reachable.',
    proofs: [
      { file: 'acceptance/faults/proofs/names.test.ts', test: 'a broken address family' },
      { file: 'probe-agent/src/request/guard.test.ts', test: 'IPv6' },
      { file: 'probe-agent/src/request/guard.test.ts', test: 'several addresses' },
      { file: 'check-types/tcp/probe/probe-tcp.test.ts', test: 'falls back to IPv6' },
      { file: 'probe-agent/src/run/names.test.ts', test: 'an address without a route' },
      { file: 'acceptance/http-servers/servers.test.ts' },
    ],
    notShown: 'a connection that takes 300 ms to open: this kernel has nothing that delays packets',
  },
  {
    id: 'F-26',
    fault: 'Missing, expired, old, untrusted or stalled TLS, or a certificate for another host',
    promise: 'Each fault has its own reason. The deadline of the attempt bounds the handshake.',
    proofs: [{ file: 'probe-agent/src/request/tls.test.ts' }],
    notShown: null,
  },
  {
    id: 'F-27',
    fault: 'Broken, smuggled, flooded, truncated or reset HTTP',
    promise:
      'The agent reads what browsers read and records it. Anything else has a named reason. No crash, and no reuse of the connection.',
    proofs: [
      { file: 'probe-agent/src/http1/response-reader.test.ts' },
      { file: 'probe-agent/src/request/request.test.ts' },
      { file: 'probe-agent/src/run/hostile-targets.test.ts' },
    ],
    notShown: null,
  },
  {
    id: 'F-28',
    fault: 'SMTP, TCP and DNS servers that stall, flood, lie or inject',
    promise: 'The agent bounds time and bytes, and gives a named reason.',
    proofs: [
      { file: 'check-types/smtp/probe/smtp-faults.test.ts' },
      { file: 'check-types/smtp/probe/reply.test.ts' },
      { file: 'check-types/tcp/probe/probe-tcp.test.ts' },
      { file: 'check-types/dns/probe/resolver-faults.test.ts' },
      { file: 'check-types/dns/probe/query.test.ts' },
    ],
    notShown: null,
  },
]
