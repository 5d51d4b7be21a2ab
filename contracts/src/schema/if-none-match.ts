import { listMembers } from '@probe-mesh/runtime/headers'

/**
 * Whether the client has the current version, by weak comparison (RFC 9110, 13.1.2).
 * @param ifNoneMatch the value of the header
 * @param etag with its quotes
 */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  listMembers(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)
