/** One page of a listing. */
interface Page<Row> {
  readonly rows: readonly Row[]
  readonly nextPageToken: string
}

const largestPage = 200

/** Rows of all pages, up to a limit; asks for no more than it needs. */
export async function collectPages<Row>(
  limit: number | undefined,
  fetchPage: (pageSize: number, pageToken: string) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  let pageToken = ''
  do {
    const left = (limit ?? Number.POSITIVE_INFINITY) - rows.length
    const page = await fetchPage(Math.min(left, largestPage), pageToken)
    rows.push(...page.rows.slice(0, left))
    pageToken = page.nextPageToken
  } while (pageToken !== '' && rows.length < (limit ?? Number.POSITIVE_INFINITY))
  return rows
}
