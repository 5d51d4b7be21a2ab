import { isPrivateRegion } from '../reading/regions.ts'
import type { Region } from '../reading/regions.ts'

/** How a check's request names itself, before its version: what operators of targets look for. */
export const probeProduct = 'ProbeMesh'

/**
 * The User-Agent of a check's requests: `ProbeMesh/0.1.0 (uptime monitoring; +https://…/probes)`. It is the
 * same from every region.
 * @param pageUrl of the page about the probes; null where nobody could open it
 */
export const probeUserAgent = (version: string, pageUrl: string | null): string => {
  const page = pageUrl === null ? '' : `; +${pageUrl}`
  return `${probeProduct}/${version} (uptime monitoring${page})`
}

/** The header by which a check with `sendRegion` tells its target the region. */
export const regionHeader = 'probe-region'

/** What that header says: the region's code, and of an account's own agent no id. */
export const sentRegionOf = (region: Region): string =>
  isPrivateRegion(region) ? 'private' : region

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
