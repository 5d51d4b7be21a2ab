import { z } from 'zod'
import { CheckParams } from './check.ts'
import { Uuid } from '../schema/ids.ts'
import { read, type Route } from '../schema/route.ts'
import { LinkUrl } from '../schema/text.ts'

export const notesCharactersMax = 2_000
const runbookUrlCharactersMax = 500

/** What people know about a check of any type. Absent fields stay; null or an empty text clears one. */
export const checkNotesFields = {
  /** What to read when it fails. */
  runbookUrl: z.string().max(runbookUrlCharactersMax).pipe(LinkUrl).nullable().optional(),
  /** Plain text. Line breaks count as one character, however they were sent. */
  notes: z
    .string()
    .overwrite((text) => text.replaceAll(/\r\n?/g, '\n').trimEnd())
    .max(notesCharactersMax)
    .optional(),
  /** The member who looks after it. */
  ownerId: Uuid.nullable().optional(),
}
export type CheckNotesChange = {
  runbookUrl?: string | null | undefined
  notes?: string | undefined
  ownerId?: string | null | undefined
}

export const CheckNotes = z.object({
  runbookUrl: z.string().nullable(),
  notes: z.string(),
  /** The name of a member, or the address of one without a name. */
  owner: z.object({ id: z.string(), name: z.string() }).nullable(),
})
export type CheckNotes = z.infer<typeof CheckNotes>

export const checkNotesRoutes = {
  getCheckNotes: read({
    path: '/checks/:id/notes',
    summary: 'The runbook, the notes and the owner of a check',
    params: CheckParams,
    output: CheckNotes,
  }),
} as const satisfies Record<string, Route>
