import type { PublicPageHead } from '@probe-mesh/contracts/status-page/public-page'

export type Page = PublicPageHead

export type Logo = {
  url: string
  /** The only origin that the page's policy allows. */
  origin: string
}

/**
 * A page's logo if it is safe to load: https, a host that a policy can contain, and no user name or password
 * in its address.
 */
export const logoOf = (logo: string | null): Logo | null => {
  if (logo === null || !URL.canParse(logo)) return null
  const { href, origin, protocol, username, password } = new URL(logo)
  if (protocol !== 'https:' || username !== '' || password !== '') return null
  // a host may contain characters that end a directive
  return /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin) ? { url: href, origin } : null
}

/** The image of the logo: the uploaded one from this site, else the owner's address. */
export const logoImageOf = ({
  logo,
  uploadedLogo,
}: Pick<Page, 'logo' | 'uploadedLogo'>): { url: string; origin: string | null } | null =>
  uploadedLogo === null ? logoOf(logo) : { url: uploadedLogo.path, origin: null }

/** The page's accent colour, `rrggbb`; null without one, or in high contrast. */
export const accentOf = ({
  accentColor,
  themePreset,
}: Pick<Page, 'accentColor' | 'themePreset'>): string | null => {
  if (accentColor === null || themePreset === 'high_contrast') return null
  return /^#[0-9a-f]{6}$/i.test(accentColor) ? accentColor.slice(1).toLowerCase() : null
}
