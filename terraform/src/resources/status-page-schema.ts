import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { Attribute, Schema } from '../protocol/schema.ts'
import { listOf, objectOf, toObject, type ObjectValue } from '../protocol/value.ts'

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
  name: { type: 'string', presence: 'required', description: 'The name of the page in lists.' },
  slug: {
    type: 'string',
    presence: 'required',
    description:
      'The last part of the address: lower-case letters, digits and single hyphens. Unique among all pages.',
  },
  title: text('The heading. Defaults to the name.'),
  description: text('A plain text below the heading.'),
  logo: text('The http or https URL of an image.'),
  accent_color: text('A colour such as `#0a7d4f`.'),
  theme_preset: {
    type: 'string',
    presence: 'optional_computed',
    description: `One of ${list(themes)}. Defaults to \`system\`.`,
    default: 'system',
  },
  font: {
    type: 'string',
    presence: 'optional_computed',
    description: `One of ${list(fonts)}. Defaults to \`system\`.`,
    default: 'system',
  },
  locale: {
    type: 'string',
    presence: 'optional_computed',
    description: 'A language such as `en` or `de-AT`. Defaults to `en`.',
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
    description: 'The path of the page below the public URL; it follows from the slug.',
  },
  url: {
    type: 'string',
    presence: 'computed',
    description: 'The URL of the page; it follows from the slug.',
  },
} as const satisfies Record<string, Attribute>

export const pageSchema: Schema = {
  version: 1,
  description:
    'A status page. An account always has at least one, so the last one cannot be destroyed: remove it from the state with `terraform state rm`. The first page of an account can be imported.',
  attributes: pageAttributes,
}

/** The API's field of each attribute that a write sends. */
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

/** A page of the API as a Terraform state. */
export const toPageState = (page: StatusPage): ObjectValue =>
  toObject([
    ['id', page.id],
    ['path', page.path],
    ['url', page.url],
    ...Object.entries(pageFields).map(([name, field]) => [name, page[field]] as const),
  ])
