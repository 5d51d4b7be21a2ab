import type { RouteCall } from '@probe-mesh/contracts/api/routes'

/**
 * What is planned for: a check by "the field names of POST /checks" (specification, Command-line
 * tool), validated, its name unique among them. Whatever that route takes; what the file's reader
 * gives is narrower (`file/checks-file.ts`: unset is absent, values are text).
 */
export type FileCheck = Omit<RouteCall<'createCheck'>['body'], 'type'>
