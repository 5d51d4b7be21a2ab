import { isPrivateRegion } from '../reading/private-region.ts'
import type { Region } from '../reading/regions.ts'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

/** The product name in the User-Agent. Operators of targets search for it. */
export const probeProduct = 'ProbeMesh'

/**
 * The User-Agent of a check's requests: `ProbeMesh/0.1.0 (uptime monitoring; +https://…/probes)`. It is the
 * same in all regions.
 * @param pageUrl the page about the probes; null without a public URL
 */
export const probeUserAgent = (version: string, pageUrl: string | null): string => {
  const page = pageUrl === null ? '' : `; +${pageUrl}`
  return `${probeProduct}/${version} (uptime monitoring${page})`
}

/** The header with the region, sent by checks with `sendRegion`. */
export const regionHeader = 'probe-region'

/** The value of that header: the region code. Private agents do not reveal their id. */
export const sentRegionOf = (region: Region): string => (isPrivateRegion(region) ? 'private' : region)

/** Hosts that only this machine can open. */
const ownHosts = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1?\]|0\.0\.0\.0)$/i

/**
 * The URL of the page about the probes, for operators of targets.
 * @param publicUrl the configured URL, if any
 * @returns null for a URL that only this machine can open
 */
export const probePageUrl = (publicUrl: string | null): string | null => {
  const url = publicUrl === null ? null : URL.parse(publicUrl)
  if (url === null || ownHosts.test(url.hostname)) return null
  return `${url.origin}${withoutEnd(url.pathname, '/')}/probes`
}
