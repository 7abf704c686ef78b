// Which words of two pages have no counterpart in the other, in the order of reading.

const MOST_CELLS = 6e6; // of the table of common words: two pages of some 2,400 words

// Words are [id, text, left, top, width, height, line]; gives the boxes of each page's own words, null for too many.
export function differingWords(one, other) {
  const [a, b] = [one, other].map((words) => words.map(([, text]) => text.normalize("NFKC")));
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) { endA -= 1; endB -= 1; }
  const [rows, columns] = [endA - start, endB - start];
  if (rows * columns > MOST_CELLS) return null;
  // lengths[i][j]: how many words the rests from i and j on have in common
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[start + i] === b[start + j] ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  const own = [[], []];
  let [i, j] = [0, 0];
  while (i < rows || j < columns) {
    if (i < rows && j < columns && a[start + i] === b[start + j]) { i += 1; j += 1; }
    else if (j >= columns || (i < rows && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) own[0].push(boxOf(one[start + i++]));
    else own[1].push(boxOf(other[start + j++]));
  }
  return own;
}

function boxOf([, , left, top, width, height]) { return { left, top, width, height }; }
