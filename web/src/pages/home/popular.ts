import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'

type Listed = CatalogAnswer['services'][number]

/** What people ask about most; an operator's catalog may have others. */
const popularSlugs =
  'github cloudflare aws google-cloud azure openai claude slack discord zoom npm gitlab vercel stripe paypal shopify youtube netflix spotify whatsapp instagram reddit x steam'.split(
    ' ',
  )

/** Of popular services those in the catalog; the first of the catalog where there are few. Pure. */
export const popularOf = (services: readonly Listed[]): Listed[] => {
  const bySlug = new Map(services.map((service) => [service.slug, service]))
  const known = popularSlugs.flatMap((slug) => bySlug.get(slug) ?? [])
  const isKnown = new Set(known)
  const others = services.filter((service) => !isKnown.has(service))
  return [...known, ...others].slice(0, popularSlugs.length)
}
