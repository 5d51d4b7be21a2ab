import {
  pageFonts,
  themePresets,
  type StatusPage,
  type UpdateStatusPageInput,
} from '@probe-mesh/contracts/status-page/status-page'
import type { Typed } from '../../html/components/form.ts'
import { orNull } from '../typed.ts'

/** The API's limit (contracts/status-page). */
export const linksMax = 10

const linkNames = Array.from({ length: linksMax }, (_, at) => ({
  label: `links[${at}].label`,
  url: `links[${at}].url`,
}))

/** The names of all fields, as in the API. */
export const lookFields: readonly string[] = [
  'name',
  'slug',
  'title',
  'description',
  'logo',
  'accentColor',
  'themePreset',
  'font',
  'locale',
  ...linkNames.flatMap(({ label, url }) => [label, url]),
]

/** The form of a page before any input. */
export const typedOfPage = (page: StatusPage): Typed => ({
  name: page.name,
  slug: page.slug,
  title: page.title ?? '',
  description: page.description ?? '',
  logo: page.logo ?? '',
  accentColor: page.accentColor ?? '',
  themePreset: page.themePreset,
  font: page.font,
  locale: page.locale,
  ...typedOfLinks(page.links),
})

const typedOfLinks = (links: readonly { label: string; url: string }[]): Typed =>
  Object.fromEntries(
    links.flatMap(({ label, url }, at) => [
      [`links[${at}].label`, label],
      [`links[${at}].url`, url],
    ]),
  )

/** Link rows with any input; blank rows are skipped. */
const linksOf = (typed: Typed): { label: string; url: string }[] =>
  linkNames
    .map(({ label, url }) => ({ label: typed[label] ?? '', url: typed[url] ?? '' }))
    .filter(({ label, url }) => label.trim() !== '' || url.trim() !== '')

/** The link rows in the form: the stored ones, and blank ones. */
export const linkRows = (typed: Typed): readonly { label: string; url: string }[] =>
  linkNames.slice(0, linksOf(typed).length + 2)

/**
 * The request of a submitted form, and the form to show again: blank link rows are closed up, so a problem of
 * a link matches its field. The API validates all of it.
 */
export const readLook = (typed: Typed): { body: UpdateStatusPageInput; typed: Typed } => {
  const links = linksOf(typed)
  const plain = Object.entries(typed).filter(([name]) => !name.startsWith('links['))
  return {
    typed: { ...Object.fromEntries(plain), ...typedOfLinks(links) },
    body: {
      name: typed['name'] ?? '',
      slug: typed['slug'] ?? '',
      title: orNull(typed['title']),
      description: orNull(typed['description']),
      logo: orNull(typed['logo']),
      accentColor: orNull(typed['accentColor']),
      // an unknown preset or font is sent too, and refused with the rest
      themePreset: typed['themePreset'] as UpdateStatusPageInput['themePreset'] & string,
      font: typed['font'] as UpdateStatusPageInput['font'] & string,
      locale: typed['locale'] ?? '',
      links,
    },
  }
}

/** Languages with translated pages, and some of their regions. */
const locales = ['en', 'en-GB', 'de', 'de-AT', 'de-CH', 'fr', 'fr-CA', 'es', 'es-MX', 'ja'] as const
const languageNames = new Intl.DisplayNames('en', {
  type: 'language',
  languageDisplay: 'standard',
  fallback: 'none',
})

/** @param current also offered, even if it is not in the list */
export const localeChoices = (current = 'en'): { value: string; label: string }[] =>
  [...new Set<string>([...locales, current])].map((value) => ({ value, label: nameOfLocale(value) }))

const nameOfLocale = (locale: string): string => {
  try {
    return languageNames.of(locale) ?? locale
  } catch {
    // an invalid language
    return locale
  }
}

/** `High contrast` */
const words = (name: string): string => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ')
export const themeChoices = themePresets.map((value) => ({ value, label: words(value) }))
export const fontChoices = pageFonts.map((value) => ({ value, label: words(value) }))
