import type { RouteCall } from '@probe-mesh/contracts/routes'

/**
 * A check as the file declares it: "each check uses the field names of POST /checks" (specification,
 * Command-line tool), validated, its name unique in the file. The type is the file's.
 */
export type FileCheck = Omit<RouteCall<'createCheck'>['body'], 'type'>
