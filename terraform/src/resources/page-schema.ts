import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { Attribute, Schema } from '../protocol/schema.ts'
import { listOf, objectOf, toObject } from '../protocol/value.ts'
import type { ObjectValue } from '../protocol/value.ts'
import { oneOf } from './rules.ts'

const themes: StatusPage['themePreset'][] = ['system', 'light', 'dark', 'high_contrast']
const fonts: StatusPage['font'][] = ['system', 'sans', 'serif', 'mono']
const list = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ')

const text = (description: string): Attribute => ({
  type: 'string',
  presence: 'optional',
  description,
})

/** A page with its brand attributes (S-2710). */
export const pageAttributes = {
  id: {
    type: 'string',
    presence: 'computed',
    description: 'The id of the page, a UUID.',
    keeps: true,
  },
  name: { type: 'string', presence: 'required', description: 'What the page is called in lists.' },
  slug: {
    type: 'string',
    presence: 'required',
    description:
      'Its part of the address: lower-case letters, digits and single hyphens. No two pages have the same.',
  },
  title: text('The heading; without one the name is shown.'),
  description: text('A text below the heading, shown as text.'),
  logo: text('An http or https URL of a picture.'),
  accent_color: text('A colour such as `#0a7d4f`.'),
  theme_preset: {
    type: 'string',
    presence: 'optional_computed',
    description: `One of ${list(themes)}. Left out, \`system\`.`,
    default: 'system',
    validate: oneOf(themes),
  },
  font: {
    type: 'string',
    presence: 'optional_computed',
    description: `One of ${list(fonts)}. Left out, \`system\`.`,
    default: 'system',
    validate: oneOf(fonts),
  },
  locale: {
    type: 'string',
    presence: 'optional_computed',
    description: 'A language such as `en` or `de-AT`. Left out, `en`.',
    default: 'en',
  },
  links: {
    type: listOf(objectOf({ label: 'string', url: 'string' })),
    presence: 'optional_computed',
    description: 'Up to ten links, each with a `label` and an http or https `url`.',
    default: [],
  },
  path: {
    type: 'string',
    presence: 'computed',
    description: 'Where the page is below the public URL; it follows from the slug.',
  },
  url: {
    type: 'string',
    presence: 'computed',
    description: 'Where the page is; it follows from the slug.',
  },
} as const satisfies Record<string, Attribute>

export const pageSchema: Schema = {
  version: 1,
  description:
    'A status page. An account has at least one, and its last one cannot be destroyed: `terraform state rm` lets go of it. The page that an account begins with can be imported.',
  attributes: pageAttributes,
}

/** What a write says, by attribute. */
export const pageFields = {
  name: 'name',
  slug: 'slug',
  title: 'title',
  description: 'description',
  logo: 'logo',
  accent_color: 'accentColor',
  theme_preset: 'themePreset',
  font: 'font',
  locale: 'locale',
  links: 'links',
} as const satisfies Record<string, keyof StatusPage>

/** A page of the API as a state holds it. */
export const toPageState = (page: StatusPage): ObjectValue =>
  toObject([
    ['id', page.id],
    ['path', page.path],
    ['url', page.url],
    ...Object.entries(pageFields).map(([name, field]) => [name, page[field]] as const),
  ])
