/** One request of a recording with its answer. */
export type Spec = {
  type?: string | null
  method?: string
  url: string
  headers?: Record<string, string>
  body?: string
  mime?: string
  status?: number
  location?: string
  answer?: string
  answerHeaders?: Record<string, string>
  mimeType?: string
}

const pairs = (headers: Record<string, string> = {}) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

/** A recording of these requests, as browsers write it. */
export const har = (...entries: Spec[]): string =>
  JSON.stringify({
    log: {
      version: '1.2',
      creator: { name: 'test', version: '1' },
      entries: entries.map((each, at) => ({
        startedDateTime: new Date(1_790_000_000_000 + at).toISOString(),
        ...(each.type !== null && { _resourceType: each.type ?? 'document' }),
        request: {
          method: each.method ?? 'GET',
          url: each.url,
          headers: pairs(each.headers),
          ...(each.body !== undefined && {
            postData: { mimeType: each.mime ?? 'application/x-www-form-urlencoded', text: each.body },
          }),
        },
        response: {
          status: each.status ?? 200,
          headers: pairs({ ...each.answerHeaders, ...(each.location && { location: each.location }) }),
          redirectURL: each.location ?? '',
          content: { mimeType: each.mimeType ?? 'text/html', text: each.answer ?? 'page' },
        },
      })),
    },
  })
