import { ContentType } from '@probe-mesh/contracts/check/request-options'
import { headerOf, type Entry } from './har-file.ts'

export type Content = { body: string | null; contentType: string | null; problems: string[] }

/** The body of a recorded request and its type, or by name why a journey cannot send it. */
export const contentOf = (request: Entry['request']): Content => {
  const { postData, headers } = request
  const type = headerOf(headers, 'content-type') ?? (postData?.mimeType || null)
  const refused = (problem: string): Content => ({ body: null, contentType: null, problems: [problem] })
  if (type?.toLowerCase().startsWith('multipart/') === true)
    return refused('it sends a multipart form, such as a file; a journey cannot send one.')
  const body = bodyOf(postData, type)
  if (typeof body === 'object' && body !== null) return refused(body.problem)
  if (body === null && hasBody(request))
    return refused('it sends a body that is not in the file. Export the file with contents, or another way.')
  const isNamed = headerOf(headers, 'content-type') !== null
  if (type === null || (body === null && !isNamed)) return { body, contentType: null, problems: [] }
  if (!ContentType.safeParse(type).success) {
    // a type that no header names was not sent
    if (!isNamed) return { body, contentType: null, problems: [] }
    return refused(`its content type ${type.slice(0, 100)} is no media type.`)
  }
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8'
  // oxlint-disable-next-line no-control-regex -- ASCII
  if (!/^(?:utf-?8|us-ascii)$/i.test(charset) && /[^\u0000-\u007f]/.test(body ?? ''))
    return refused(`its body is in the charset ${charset.slice(0, 40)}; a journey sends UTF-8.`)
  return { body, contentType: type, problems: [] }
}

const bodyOf = (
  postData: Entry['request']['postData'],
  type: string | null,
): string | null | { problem: string } => {
  if (postData === null || postData === undefined) return null
  if (postData.text) {
    if (postData.encoding !== 'base64') return postData.text
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(postData.text, 'base64'))
    } catch {
      return { problem: 'its body is not text; a journey sends text only.' }
    }
  }
  const params = postData.params ?? []
  if (params.length === 0) return null
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type ?? ''))
    return { problem: `its body is a list of fields, but its type is ${(type ?? 'none').slice(0, 100)}.` }
  return new URLSearchParams(
    params.map(({ name, value }): [string, string] => [name, value ?? '']),
  ).toString()
}

/** Whether the recording says that a body was sent. */
const hasBody = ({ headers, bodySize }: Entry['request']): boolean =>
  (bodySize ?? 0) > 0 ||
  Number(headerOf(headers, 'content-length') ?? 0) > 0 ||
  headerOf(headers, 'transfer-encoding') !== null
