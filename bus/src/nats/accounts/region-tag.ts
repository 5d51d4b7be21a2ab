/** What the token of an agent says of its region: a tag, which gives no right. */
export const regionTag = 'region:'
