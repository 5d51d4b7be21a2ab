import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { Attribute, Schema } from '../protocol/schema.ts'
import { listOf, objectOf, toObject, unknown } from '../protocol/value.ts'
import type { ObjectValue } from '../protocol/value.ts'
import { oneOf } from './rules.ts'
import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import type { PlannedChange, PlanRule } from '../protocol/resource.ts'
import { bodyValue, isSame, valueOf } from './settle.ts'

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

type Body = RouteCall<'createStatusPage'>['body']

/** A page of the API as a state holds it. */
export const toPageState = (page: StatusPage): ObjectValue =>
  toObject([
    ['id', page.id],
    ['path', page.path],
    ['url', page.url],
    ...Object.entries(pageFields).map(([name, field]) => [name, page[field]] as const),
  ])

/** The schema holds each value to its field's type; whatever else is wrong with it the API refuses. */
export const pageBody = (planned: ObjectValue): Body =>
  Object.fromEntries(
    Object.entries(pageFields).map(([name, field]) => [field, bodyValue(valueOf(planned, name))]),
  ) as Body

/** What changes: what is left out stays as it is. */
export const pageChanges = (prior: ObjectValue, planned: ObjectValue): Partial<Body> => {
  const kept = new Set<string>(
    Object.entries(pageFields)
      .filter(([name]) => isSame(valueOf(prior, name), valueOf(planned, name)))
      .map(([, field]) => field),
  )
  return Object.fromEntries(
    Object.entries(pageBody(planned)).filter(([field]) => !kept.has(field)),
  ) as Partial<Body>
}

/** Where a page is follows from its slug: it stays known while that stays. */
export const planPage = ({ prior, planned }: PlannedChange): PlanRule => {
  if (prior === null || valueOf(prior, 'slug') !== valueOf(planned, 'slug')) return { planned }
  const keep = (name: string) =>
    [
      name,
      valueOf(planned, name) === unknown ? valueOf(prior, name) : valueOf(planned, name),
    ] as const
  return { planned: toObject([...Object.entries(planned), keep('path'), keep('url')]) }
}
