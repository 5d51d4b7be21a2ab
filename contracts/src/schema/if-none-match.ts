/**
 * Whether who asks has that already: any of a list, by weak comparison (RFC 9110, 13.1.2).
 * @param ifNoneMatch as the header has it
 * @param etag with its quotes
 */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === etag || tag === '*')
