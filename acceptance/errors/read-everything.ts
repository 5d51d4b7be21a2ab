import type { MeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import { connectClient2 } from '../mcp/clients.ts'

/** An answer: headers and body. */
export type Answer = { where: string; text: string }

/** Pages per session, below the rate limit of a user. */
const pagesOfSession = 75

/** Reads all data about a project's issues, over REST, over MCP and from the dashboard. */
export const readEverything = async (
  mesh: Pick<MeshProcess, 'apiUrl' | 'credentials'>,
  projectId: string,
  searched: readonly string[],
): Promise<Answer[]> => {
  const { apiKey, mcpUrl, email, password } = await mesh.credentials()
  const origin = new URL(mesh.apiUrl).origin
  const answers: Answer[] = []
  const read = async (url: string, headers: Record<string, string>): Promise<string> => {
    const response = await fetch(url, { headers })
    const text = await response.text()
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
    answers.push({ where: url, text: `${JSON.stringify([...response.headers])}\n${text}` })
    return text
  }
  const withKey = { authorization: `Bearer ${apiKey}` }
  const list = `${mesh.apiUrl}/errors/projects/${projectId}/issues`
  await read(`${mesh.apiUrl}/errors/projects`, withKey)
  const { issues } = JSON.parse(await read(`${list}?limit=500`, withKey)) as {
    issues: { id: string }[]
  }
  // a search must not find a secret
  for (const secret of searched.filter(({ length }) => length < 100)) {
    const response = await fetch(`${list}?q=${encodeURIComponent(secret)}`, { headers: withKey })
    const { total } = (await response.json()) as { total: number }
    if (total !== 0) answers.push({ where: `the search for ${secret}`, text: secret })
  }
  let cookie = await logIn(origin, { email, password })
  const project = `${origin}/dashboard/errors/${projectId}`
  for (const page of [`${origin}/dashboard/errors`, project, `${project}/settings`]) {
    await read(page, { cookie })
  }
  const client = await connectClient2(mcpUrl, withKey, 'modern')
  const call = async (name: string, args: Record<string, unknown>): Promise<void> => {
    answers.push({
      where: `${name} ${JSON.stringify(args)}`,
      text: JSON.stringify(await client.call(name, args)),
    })
  }
  await call('list_error_projects', {})
  await call('list_error_issues', { projectId, limit: 500 })
  for (const [number, { id }] of issues.entries()) {
    if (number % pagesOfSession === pagesOfSession - 1) {
      cookie = await logIn(origin, { email, password })
    }
    await read(`${mesh.apiUrl}/errors/issues/${id}`, withKey)
    await read(`${project}/issues/${id}`, { cookie })
    await call('get_error_issue', { issueId: id })
  }
  await client.close()
  return answers
}

const logIn = async (origin: string, who: { email: string; password: string }): Promise<string> => {
  const response = await fetch(`${origin}/dashboard-api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', origin },
    body: JSON.stringify(who),
  })
  if (!response.ok) throw new Error(`login failed: ${await response.text()}`)
  return (response.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
}
