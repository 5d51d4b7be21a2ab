import type { Region } from './regions.ts'

/** How a check's request names itself, before its version: what operators of targets look for. */
export const probeProduct = 'ProbeMesh'

/**
 * The User-Agent of a check's requests: `ProbeMesh/0.1.0 (fra; uptime monitoring; +https://…/probes)`.
 * Targets see which region asks, and where it is said who does.
 * @param pageUrl of the page about the probes; null where nobody could open it
 */
export const probeUserAgent = (version: string, region: Region, pageUrl: string | null): string => {
  const page = pageUrl === null ? '' : `; +${pageUrl}`
  return `${probeProduct}/${version} (${region}; uptime monitoring${page})`
}

/** Only one machine could open these. */
const ownHosts = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1?\]|0\.0\.0\.0)$/i

/**
 * Where targets read who probes them.
 * @param publicUrl as it is configured; null: it is not
 * @returns null for an address that only this machine could open: such a link helps nobody
 */
export const probePageUrl = (publicUrl: string | null): string | null => {
  const url = publicUrl === null ? null : URL.parse(publicUrl)
  if (url === null || ownHosts.test(url.hostname)) return null
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}/probes`
}
