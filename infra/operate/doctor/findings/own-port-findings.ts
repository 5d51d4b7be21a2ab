import type { MetricsFacts } from './metrics-facts.ts'
import { broken, unanswered, type Finding, type Unanswered } from './finding.ts'

/** The program at HOST and PORT of this machine. */
export type OwnPortFacts = {
  url: string
  who: 'a ready control plane' | 'a control plane' | 'another program' | 'nothing'
  /** Of a control plane; null: not readable. */
  metrics: MetricsFacts | null
}

/** Reports another program on the port. */
export const ownPortFindings = ({ url, who }: OwnPortFacts): Finding[] => {
  if (who !== 'another program') return []
  const { host, port } = new URL(url)
  return [
    broken(
      'port',
      `Another program listens on ${host}, so no control plane can start there.`,
      `Stop that program ("ss -ltnp 'sport = :${port}'" shows it), or set PORT to a free port.`,
    ),
  ]
}

/** The error for an answer of another program. */
const otherAnswer = /^status \d+/

/** Why no control plane answers at PUBLIC_URL. @param own null: not checked */
export const noAnswerFinding = (gathered: Unanswered, url: string, own: OwnPortFacts | null): Finding => {
  const { why } = gathered
  if (own?.who === 'a ready control plane' && own.url !== url) {
    return otherAnswer.test(why)
      ? broken(
          'proxy',
          `The server at ${url} forwards no requests (${why}), although the control plane at ${own.url} is ready.`,
          `Configure the proxy to forward to ${own.url}, and to check health with GET /readyz (HAProxy: "option httpchk GET /readyz").`,
        )
      : broken(
          'web',
          `Nothing answers at ${url}: ${why}. The control plane at ${own.url} is ready, but PUBLIC_URL does not lead to it.`,
          `Start the proxy at ${url}, or set PUBLIC_URL to the address for clients. Without a proxy: PUBLIC_URL=${own.url}.`,
        )
  }
  return unanswered(
    'web',
    gathered,
    `Nothing answers at ${url}: ${why}.`,
    'Start the control plane with npm start or npm run control-plane, or correct PUBLIC_URL.',
  )
}
