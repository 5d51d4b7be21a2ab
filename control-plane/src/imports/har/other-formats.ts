const howTo = 'Export it in the network panel of a browser ("Save all as HAR").'

/** What a file is that is no HAR, by its first signs, with how its program writes one. */
export const otherFormat = (text: string, json: unknown): string => {
  const start = text.slice(0, 2_000).trimStart()
  if (json !== null && typeof json === 'object') return otherJson(json as Record<string, unknown>)
  if (start.startsWith('PK\u0003\u0004'))
    return `The file is an archive, such as a session of Fiddler (.saz) or a zipped HAR. Unpack it, or export a HAR.`
  if (/^<\?xml|^<items\b/.test(start))
    return /burpVersion/.test(start)
      ? 'The file is "Save items" of Burp in XML, not HAR. Record the pages in its browser, and export a HAR there.'
      : `The file is XML, not HAR. ${howTo}`
  if (/^type:\s*\S*insomnia/m.test(start))
    return 'The file is an export of Insomnia, not HAR. Export its requests as HAR.'
  return /^[{[]/.test(start)
    ? `The file is not in the format HAR: its JSON is not complete. ${howTo}`
    : `The file is not in the format HAR. ${howTo}`
}

const otherJson = (json: Record<string, unknown>): string => {
  const info = (json['info'] ?? {}) as Record<string, unknown>
  if (info['_postman_id'] !== undefined || /postman/i.test(String(info['schema'] ?? '')))
    return 'The file is a collection of Postman, not HAR. Copy a request as cURL there, and import that.'
  if (json['_type'] === 'export' || json['__export_format'] !== undefined)
    return 'The file is an export of Insomnia, not HAR. Export its requests as HAR.'
  if (json['openapi'] !== undefined || json['swagger'] !== undefined)
    return 'The file is an OpenAPI document, not HAR. Choose OpenAPI as its kind.'
  return `The file is not in the format HAR: it has no list "log.entries". ${howTo}`
}
