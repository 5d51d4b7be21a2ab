import type { PublicPageHead } from '@probe-mesh/contracts/status-page/public-page'

export type Page = PublicPageHead

export type Logo = {
  url: string
  /** All that the page's policy lets it load from elsewhere. */
  origin: string
}

/**
 * A page's logo where browsers may be sent for it: over https, from a host that a policy can name,
 * and with no name or password in its address.
 */
export const logoOf = (logo: string | null): Logo | null => {
  if (logo === null || !URL.canParse(logo)) return null
  const { href, origin, protocol, username, password } = new URL(logo)
  if (protocol !== 'https:' || username !== '' || password !== '') return null
  // a host may have signs in it that end a directive
  return /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin) ? { url: href, origin } : null
}

/** What a page shows as its logo: the uploaded one from this site, else the address that its owner set. */
export const logoImageOf = ({
  logo,
  uploadedLogo,
}: Pick<Page, 'logo' | 'uploadedLogo'>): { url: string; origin: string | null } | null =>
  uploadedLogo === null ? logoOf(logo) : { url: uploadedLogo.path, origin: null }

/** The `rrggbb` of the page's own colour; null where it has none, or where contrast comes first. */
export const accentOf = ({
  accentColor,
  themePreset,
}: Pick<Page, 'accentColor' | 'themePreset'>): string | null => {
  if (accentColor === null || themePreset === 'high_contrast') return null
  return /^#[0-9a-f]{6}$/i.test(accentColor) ? accentColor.slice(1).toLowerCase() : null
}

/** Our own words are English; what the page's owner wrote is in the language of the page. */
export const isForeign = ({ locale }: Pick<Page, 'locale'>): boolean => !/^en\b/.test(locale)
