/**
 * Whether the client has the current version, by weak comparison (RFC 9110, 13.1.2).
 * @param ifNoneMatch the value of the header
 * @param etag with its quotes
 */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === etag || tag === '*')
