import {
  insertTestErrorIssues,
  insertTestErrorProject,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { plantOccurrences } from './plant-occurrences.ts'
import type { TestWeb } from './test-web.ts'

/** Error data from an SDK: names of a project, its issues and releases, and the contents of occurrences. */
export const plantErrors = async (
  { at }: TestWeb,
  clickhouseUrl: string,
  planted: {
    accountId: string
    names: readonly string[]
    /** Texts within the length that an occurrence keeps. */
    seen: readonly string[]
    put(where: string, text: string): string
    send(path: string, body: object): Promise<string>
  },
): Promise<void> => {
  const { accountId, names, seen, put, send } = planted
  const projectId = await insertTestErrorProject(at.sql, accountId, { name: names[0] ?? '' })
  const issues = names.map((title) => ({
    title,
    culprit: title,
    releases: [{ release: title, occurrences: 1 }],
  }))
  const [issue] = await insertTestErrorIssues(at.sql, { accountId, projectId }, issues)
  if (issue === undefined) throw new Error('no issue was planted')
  for (const [n, name] of names.entries()) {
    await send('/error-rules', { name: put('error rule', name), projectIds: [projectId] })
    await at.sql`
      insert into error_source_maps (id, account_id, project_id, debug_id, upload_id, file, release,
        packed, read_bytes, uploaded_at, used_at)
      values (gen_random_uuid(), ${accountId}, ${projectId}, gen_random_uuid(), gen_random_uuid(),
        ${put('source map', name)}, ${put('release of a source map', name)}, ${Buffer.of(n)}, 1,
        ${new Date(at.now())}, ${new Date(at.now())})`
  }
  const messages = seen.map((text) => put('occurrence', text))
  await plantOccurrences(clickhouseUrl, { id: issue.id, projectId }, messages, at.now())
}
