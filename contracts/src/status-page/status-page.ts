import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { id, Uuid } from '../schema/ids.ts'
import { Line, LinkUrl, Prose, Slug } from '../schema/text.ts'

/** The status of a page: the worst of its components, or `no_data`. */
export const StatusPageState = z.enum(['operational', 'degraded', 'down', 'maintenance', 'no_data'])
export type StatusPageState = z.infer<typeof StatusPageState>

const PageLink = z.strictObject({
  label: field(Line.max(80), 'Text of the link.', 'Support'),
  url: field(LinkUrl, 'Address of the link.', 'https://example.com/support'),
})

export const themePresets = ['system', 'light', 'dark', 'high_contrast'] as const
export const pageFonts = ['system', 'sans', 'serif', 'mono'] as const
const linksMax = 10

const fields = {
  title: field(Line.nullable(), 'Title. null: the name.', 'Example status'),
  description: field(Prose.max(1_000).nullable(), 'Text for visitors.', 'The shop and its API.'),
  logo: field(LinkUrl.nullable(), 'https URL of an image.', null),
  accentColor: field(
    z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #0a7d4f')
      .nullable(),
    'Colour of the page, as `#rrggbb`.',
    '#0a7d4f',
  ),
  themePreset: field(z.enum(themePresets), 'Colours of the page. `system` follows the visitor.', 'system'),
  font: field(z.enum(pageFonts), 'Font of the page.'),
  locale: field(
    z.string().regex(/^[a-z]{2,3}(-[A-Z]{2})?$/, 'must be a language such as en or de-AT'),
    'Language of the page.',
    'en',
  ),
  links: field(z.array(PageLink).max(linksMax), 'Links in the head of the page.'),
}

export const StatusPage = z.object({
  id,
  name: field(z.string(), 'Name of the page, for its owner.', 'Example'),
  slug: field(z.string(), 'Part of the address: lower-case letters, digits and hyphens.', 'example'),
  path: field(z.string(), 'Path of the page, below the public URL.', '/status/example'),
  url: field(z.string(), 'Address of the page.', 'https://status.example.com/status/example'),
  title: field(z.string().nullable(), 'Title. null: the name.', null),
  description: field(z.string().nullable(), 'Text for visitors.', 'The shop and its API.'),
  logo: field(z.string().nullable(), 'Address of the uploaded logo, or the one that was set.', null),
  accentColor: field(z.string().nullable(), 'Colour of the page, as `#rrggbb`.', '#0a7d4f'),
  themePreset: field(z.enum(themePresets), 'Colours of the page. `system` follows the visitor.', 'system'),
  font: field(z.enum(pageFonts), 'Font of the page.'),
  locale: field(z.string(), 'Language of the page.', 'en'),
  links: field(
    z.array(
      z.object({
        label: field(z.string(), 'Text of the link.', 'Support'),
        url: field(z.string(), 'Address of the link.', 'https://example.com/support'),
      }),
    ),
    'Links in the head of the page.',
  ),
  componentCount: field(z.int(), 'Number of published checks.', 4),
  state: field(StatusPageState, 'Worst state of its components.'),
})
export type StatusPage = z.infer<typeof StatusPage>
components.add(StatusPage, { id: 'StatusPage' })

export const CreateStatusPageInput = z.strictObject({
  name: field(Line, 'Name of the page, for its owner.', 'Example'),
  slug: field(Slug, 'Part of the address: lower-case letters, digits and hyphens.', 'example'),
  ...z.object(fields).partial().shape,
})
export type CreateStatusPageInput = z.infer<typeof CreateStatusPageInput>

/** Absent fields stay unchanged; null clears optional fields. */
export const UpdateStatusPageInput = CreateStatusPageInput.partial()
export type UpdateStatusPageInput = z.infer<typeof UpdateStatusPageInput>

export const StatusPageParams = z.object({ id: field(Uuid, 'Id of the status page.') })

/** The status of the published check, or `maintenance` during a window. */
export const ComponentState = z.enum(['operational', 'degraded', 'down', 'maintenance', 'no_data'])
export type ComponentState = z.infer<typeof ComponentState>

export const Component = z.object({
  id,
  statusPageId: field(id, 'Id of the status page.'),
  checkId: field(id, 'Id of the check.'),
  displayName: field(z.string(), 'Name for visitors.', 'Shop'),
  description: field(z.string().nullable(), 'Text for visitors.', null),
  state: field(ComponentState, 'State of the published check, or `maintenance` during a window.'),
  position: field(z.int().nullable().optional(), 'Place on the page, from 1. null: behind the others.', 1),
  groupName: field(z.string().nullable().optional(), 'Group that the page shows it in. null for none.', null),
})
export type Component = z.infer<typeof Component>
components.add(Component, { id: 'Component' })

export const CreateComponentInput = z.strictObject({
  checkId: field(Uuid, 'Id of the check.'),
  displayName: field(Line.optional(), 'Name for visitors. Absent: the name of the check.', 'Shop'),
  description: field(Prose.max(1_000).nullable().optional(), 'Text for visitors.', 'The shop and its API.'),
})
export type CreateComponentInput = z.infer<typeof CreateComponentInput>

export const UpdateComponentInput = z.strictObject({
  displayName: field(Line.optional(), 'Name for visitors.', 'Shop'),
  description: field(Prose.max(1_000).nullable().optional(), 'Text for visitors.', 'The shop and its API.'),
})
export type UpdateComponentInput = z.infer<typeof UpdateComponentInput>

export const ComponentParams = z.object({
  id: field(Uuid, 'Id of the status page.'),
  componentId: field(Uuid, 'Id of the component.'),
})

/** Groups of one page. */
const componentGroupsMax = 100
export const groupNameCharactersMax = 80
/** Components in one arrangement: as many as the largest plan has checks. */
const arrangedComponentsMax = 5_000

const ComponentGroup = z.strictObject({
  /** null: components without a group. */
  name: Line.max(groupNameCharactersMax).nullable(),
  componentIds: z.array(Uuid).min(1).max(arrangedComponentsMax),
})

/** The order of all components of a page, in groups. Each component is named once. */
export const ArrangeComponentsInput = z
  .strictObject({ groups: z.array(ComponentGroup).max(componentGroupsMax) })
  .superRefine(({ groups }, context) => {
    const ids = new Set<string>()
    const names = new Set<string>()
    for (const [at, { name, componentIds }] of groups.entries()) {
      if (name !== null && names.has(name)) {
        const message = 'is the name of an earlier group'
        context.addIssue({ code: 'custom', path: ['groups', at, 'name'], message })
      }
      if (name !== null) names.add(name)
      for (const [index, id] of componentIds.entries()) {
        if (ids.has(id)) {
          const path = ['groups', at, 'componentIds', index]
          context.addIssue({ code: 'custom', path, message: 'is named twice' })
        }
        ids.add(id)
      }
    }
  })
export type ArrangeComponentsInput = z.infer<typeof ArrangeComponentsInput>
