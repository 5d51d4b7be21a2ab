import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { Line, LinkUrl, Prose, Slug } from '../schema/text.ts'

/** The status of a page: the worst of its components, or `no_data`. */
export const StatusPageState = z.enum(['operational', 'degraded', 'down', 'maintenance', 'no_data'])
export type StatusPageState = z.infer<typeof StatusPageState>

const PageLink = z.strictObject({ label: Line.max(80), url: LinkUrl })

export const themePresets = ['system', 'light', 'dark', 'high_contrast'] as const
export const pageFonts = ['system', 'sans', 'serif', 'mono'] as const
const linksMax = 10

const fields = {
  title: Line.nullable(),
  description: Prose.max(1_000).nullable(),
  logo: LinkUrl.nullable(),
  accentColor: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #0a7d4f')
    .nullable(),
  themePreset: z.enum(themePresets),
  font: z.enum(pageFonts),
  locale: z.string().regex(/^[a-z]{2,3}(-[A-Z]{2})?$/, 'must be a language such as en or de-AT'),
  links: z.array(PageLink).max(linksMax),
}

export const StatusPage = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  /** Below the public URL. */
  path: z.string(),
  url: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  /** The address of the uploaded logo, or the one that was set. */
  logo: z.string().nullable(),
  accentColor: z.string().nullable(),
  themePreset: z.enum(themePresets),
  font: z.enum(pageFonts),
  locale: z.string(),
  links: z.array(z.object({ label: z.string(), url: z.string() })),
  componentCount: z.int(),
  state: StatusPageState,
})
export type StatusPage = z.infer<typeof StatusPage>

export const CreateStatusPageInput = z.strictObject({
  name: Line,
  slug: Slug,
  ...z.object(fields).partial().shape,
})
export type CreateStatusPageInput = z.infer<typeof CreateStatusPageInput>

/** Absent fields stay unchanged; null clears optional fields. */
export const UpdateStatusPageInput = CreateStatusPageInput.partial()
export type UpdateStatusPageInput = z.infer<typeof UpdateStatusPageInput>

export const StatusPageParams = z.object({ id: Uuid })

/** The status of the published check, or `maintenance` during a window. */
export const ComponentState = z.enum(['operational', 'degraded', 'down', 'maintenance', 'no_data'])
export type ComponentState = z.infer<typeof ComponentState>

export const Component = z.object({
  id: z.string(),
  statusPageId: z.string(),
  checkId: z.string(),
  displayName: z.string(),
  description: z.string().nullable(),
  state: ComponentState,
  /** The place on the page, from 1; null: behind the arranged ones, in order of publication. */
  position: z.int().nullable().optional(),
  /** The group that the page shows it in; null: none. */
  groupName: z.string().nullable().optional(),
})
export type Component = z.infer<typeof Component>

export const CreateComponentInput = z.strictObject({
  checkId: Uuid,
  displayName: Line.optional(),
  description: Prose.max(1_000).nullable().optional(),
})
export type CreateComponentInput = z.infer<typeof CreateComponentInput>

export const UpdateComponentInput = z.strictObject({
  displayName: Line.optional(),
  description: Prose.max(1_000).nullable().optional(),
})
export type UpdateComponentInput = z.infer<typeof UpdateComponentInput>

export const ComponentParams = z.object({ id: Uuid, componentId: Uuid })

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
