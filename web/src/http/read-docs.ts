import { readFileSync } from 'node:fs'
import type { OpenApi } from '../api/open-api.ts'
import { guides } from '../pages/docs/guide-list.ts'
import type { Inject } from './visit.ts'

const root = new URL('../../../', import.meta.url)

/** The guides of the repository, by file. */
export const readGuides = (): Readonly<Record<string, string>> =>
  Object.fromEntries(guides.map(({ file }) => [file, readFileSync(new URL(file, root), 'utf8')]))

/** The reference as the API serves it. @throws Error with the status of an unexpected answer */
export const readOpenApi = async (inject: Inject): Promise<OpenApi> => {
  const url = '/v1/openapi.json'
  const { statusCode, body } = await inject({ method: 'GET', url, headers: {}, remoteAddress: '127.0.0.1' })
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`)
  return JSON.parse(body) as OpenApi
}
