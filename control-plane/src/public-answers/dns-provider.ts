/** Providers by the suffixes of their name servers' names. The catalog uses the same slugs. */
const providers: readonly (readonly [slug: string, pattern: RegExp])[] = [
  ['route53', /(^|\.)awsdns-\d+\.(com|net|org|co\.uk)$/],
  ['cloudflare', /(^|\.)(ns\.cloudflare\.com|cloudflare\.com|cloudflare\.net|foundationdns\.(com|net|org))$/],
  ['ns1', /(^|\.)nsone\.net$/],
  ['azure-dns', /(^|\.)azure-dns\.(com|net|org|info)$/],
  ['google', /(^|\.)(googledomains\.com|google\.com|google)$/],
  ['akamai', /(^|\.)(akam\.net|akamai\.com|akamaiedge\.net|akamaitech\.net)$/],
  ['dnsmadeeasy', /(^|\.)dnsmadeeasy\.com$/],
  ['ultradns', /(^|\.)ultradns\.(com|net|org|biz|info|co\.uk)$/],
  ['dnsimple', /(^|\.)dnsimple(-edge)?\.(com|net|org|io)$/],
  ['digitalocean', /(^|\.)digitalocean\.com$/],
  ['godaddy', /(^|\.)domaincontrol\.com$/],
  ['hetzner', /(^|\.)(hetzner\.(com|de)|first-ns\.de|second-ns\.(com|de))$/],
  ['ovh', /(^|\.)(ovh\.net|anycast\.me)$/],
  ['gandi', /(^|\.)gandi\.net$/],
  ['vercel', /(^|\.)vercel-dns\.com$/],
  ['linode', /(^|\.)linode\.com$/],
  ['alibaba', /(^|\.)(alidns\.com|hichina\.com)$/],
  ['tencent', /(^|\.)(dnspod\.(com|net)|dnsv\d+\.com)$/],
  ['meta', /(^|\.)facebook\.com$/],
  ['apple', /(^|\.)apple\.com$/],
  ['yandex', /(^|\.)yandex\.(net|ru)$/],
]

export const dnsProviders: readonly string[] = providers.map(([slug]) => slug)

type DnsProvider = { kind: 'one'; slug: string } | { kind: 'several' } | { kind: 'unknown' }

/**
 * The DNS provider of a zone, from its name servers. `several` if providers share the zone: one of them
 * cannot take it down alone. `unknown` if no name server matches: custom names can hide any provider.
 * @param nameServers in lower case
 */
export const dnsProviderOf = (nameServers: readonly string[]): DnsProvider => {
  const found = new Set(nameServers.map(providerOf))
  const [slug] = found
  if (found.size > 1) return { kind: 'several' }
  return slug === undefined || slug === null ? { kind: 'unknown' } : { kind: 'one', slug }
}

const providerOf = (name: string): string | null =>
  providers.find(([, pattern]) => pattern.test(name.replace(/\.$/, '')))?.[0] ?? null
