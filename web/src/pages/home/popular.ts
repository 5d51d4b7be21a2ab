import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'

type Listed = CatalogAnswer['services'][number]

/** The most requested services; an operator's catalog may have others. */
const popularSlugs =
  'github cloudflare aws google-cloud azure openai claude slack discord zoom npm gitlab vercel stripe paypal shopify youtube netflix spotify whatsapp instagram reddit x steam'.split(
    ' ',
  )

/** The popular services in the catalog; the first services of the catalog if there are few. */
export const popularOf = (services: readonly Listed[]): Listed[] => {
  const bySlug = new Map(services.map((service) => [service.slug, service]))
  const known = popularSlugs.flatMap((slug) => bySlug.get(slug) ?? [])
  const isKnown = new Set(known)
  const others = services.filter((service) => !isKnown.has(service))
  return [...known, ...others].slice(0, popularSlugs.length)
}
