import { readFileSync } from 'node:fs'
import type { OpenApi } from '../api/open-api.ts'
import { guides } from '../pages/docs/guide-list.ts'
import type { Inject } from './visit.ts'

const root = new URL('../../../', import.meta.url)

/** The guides as they are in the repository, by their file. */
export const readGuides = (): Readonly<Record<string, string>> =>
  Object.fromEntries(guides.map(({ file }) => [file, readFileSync(new URL(file, root), 'utf8')]))

/** The reference as the API itself serves it. @throws Error that names the status of another answer */
export const readOpenApi = async (inject: Inject): Promise<OpenApi> => {
  const url = '/v1/openapi.json'
  const { statusCode, body } = await inject({ method: 'GET', url, headers: {}, remoteAddress: '127.0.0.1' })
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`)
  return JSON.parse(body) as OpenApi
}
