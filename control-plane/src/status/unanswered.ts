import type { Reading } from '@probe-mesh/contracts/reading/reading'

/** Causes of failures without an answer that only the target can give (docs/reasons.md). */
const silentCauses: ReadonlySet<string> = new Set([
  'dns_not_found',
  'dns_no_address',
  'dns_servers_unreachable',
  'dns_lame_delegation',
  'dns_server_failure',
  'dns_timeout',
  'dnssec_failed',
  'connection_refused',
  'connection_reset',
  'connection_closed',
  'connect_timeout',
  'host_unreachable',
  'tls_failed',
  'tls_timeout',
  'tls_version',
  'tls_no_protocol',
  'tls_not_spoken',
  'response_timeout',
  'body_timeout',
  'body_incomplete',
  'journey_timeout',
  'expect_timeout',
  'tcp_closed',
  'resolver_timeout',
  'resolver_tcp_failed',
  'smtp_closed',
  'smtp_timeout',
  'load_timeout',
])

/**
 * Whether a reading failed without an answer of the target: by time, connection, name or TLS. Our own network
 * may be the cause of that, but never of an answer, however bad. What an agent proved counts as an answer.
 */
export const isUnanswered = ({
  verdict,
  cause,
  proven = false,
}: Pick<Reading, 'verdict' | 'cause' | 'proven'>): boolean =>
  verdict === 'down' && !proven && isUnansweredCause(cause)

/** The same for a cause alone, as evidence about a region: many proven failures at once are still suspicious. */
export const isUnansweredCause = (cause: string): boolean =>
  silentCauses.has(cause) || cause.startsWith('certificate_')
