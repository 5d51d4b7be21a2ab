import { broken } from './finding.ts'
import type { Finding } from './finding.ts'

/** What answers where a control plane of this machine listens. */
export type OwnPortFacts = {
  url: string
  who: 'a ready control plane' | 'a control plane' | 'another program' | 'nobody'
}

/** That the port is taken by something else. Pure. */
export const ownPortFindings = ({ url, who }: OwnPortFacts): Finding[] => {
  if (who !== 'another program') return []
  const { host, port } = new URL(url)
  return [
    broken(
      'port',
      `Another program has ${host}, so that no control plane starts there.`,
      `Stop that one ("ss -ltnp 'sport = :${port}'" names it), or set PORT to a free one.`,
    ),
  ]
}

/** As a server answers that is not ours. */
const otherAnswer = /^status \d+/

/** Why nobody of ours answers at PUBLIC_URL, and whose fault that is. Pure. @param own null: it was not asked */
export const awayFinding = (why: string, url: string, own: OwnPortFacts | null): Finding => {
  if (own?.who === 'a ready control plane' && own.url !== url) {
    return otherAnswer.test(why)
      ? broken(
          'proxy',
          `What answers at ${url} sends no request on (${why}), while the control plane at ${own.url} is ready.`,
          `Let the proxy send requests to ${own.url}, and ask its health by GET /readyz (HAProxy: "option httpchk GET /readyz").`,
        )
      : broken(
          'web',
          `Nothing answers at ${url}: ${why}. The control plane at ${own.url} is ready, and nobody finds it by PUBLIC_URL.`,
          `Start the proxy at ${url}, or set PUBLIC_URL to where clients reach the control planes: without a proxy PUBLIC_URL=${own.url}.`,
        )
  }
  return broken(
    'web',
    `Nothing answers at ${url}: ${why}.`,
    'Start it with npm start or npm run control-plane, or set PUBLIC_URL to where it is.',
  )
}
