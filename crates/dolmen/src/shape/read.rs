//! Triangles from OBJ text and STL text or bytes.
//!
//! Written here and not taken from a library: both formats need a page each, and the readers at hand do not tell the line that they
//! stumbled over. OBJ is read line by line, so that a file that is none costs nothing. What stands in a wrong line is not quoted:
//! the file may be no mesh, and not one for the reader of the message.

use std::io::{BufRead, Read};

use crate::math::{DVec3, dvec3};
use thiserror::Error;

/// Vertices and triangles as a file has them, unchecked; [`super::Mesh::new`] makes a surface of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriangleSoup {
    /// Places, in the unit of the file.
    pub vertices: Vec<DVec3>,
    /// Three vertices each, counted from 0.
    pub triangles: Vec<[u32; 3]>,
}

/// Why a mesh file could not be read. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ReadError {
    /// A line is not what the format asks for.
    #[error("line {line}: {problem}")]
    Line {
        /// Its number.
        line: usize,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// A text ended within a facet or a solid.
    #[error("the STL text ends at line {line} before `{missing}`; the file is cut short: export it again")]
    Ended {
        /// Number of lines.
        line: usize,
        /// What should have come.
        missing: &'static str,
    },
    /// A binary STL has another size than its header says.
    #[error(
        "the binary STL announces {triangles} triangles, which take {expected} bytes, but has {found} bytes; \
         the file is damaged or cut short: export it again"
    )]
    Size {
        /// How many the header announces.
        triangles: u32,
        /// Bytes that they need.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// Too short even for a header.
    #[error(
        "{found} bytes are no STL file: a binary one starts with 84 bytes of header, a text with the word `solid`; \
         export it again"
    )]
    Header {
        /// Bytes there are.
        found: u64,
    },
}

/// The most vertices, and the most triangles, of one file: a body of more is not simulated in a lifetime.
const MOST: usize = 4_000_000;

/// The longest line of a text, bytes: a face of a hundred thousand corners.
const LONGEST_LINE: u64 = 1 << 20;

/// Bytes of a binary STL: a header of 80 with a count of 4, then 50 for each triangle.
const STL_HEADER: usize = 84;
const STL_TRIANGLE: usize = 50;

/// Reads the vertices and faces of a Wavefront OBJ text.
///
/// Faces of more than three corners become fans about their first corner, which is right for convex ones. Corners may be
/// `v`, `v/vt`, `v//vn` or `v/vt/vn`, and negative to count back from the latest vertex. Normals, textures, groups and
/// materials are passed over.
///
/// # Errors
/// At the first line that is wrong, with its number.
pub fn read_obj(mut text: impl BufRead) -> Result<TriangleSoup, ReadError> {
    let mut soup = TriangleSoup::default();
    let (mut line, mut number) = (Vec::new(), 0);
    loop {
        let begun = number + 1;
        let wrong = |problem: String| ReadError::Line { line: begun, problem };
        line.clear();
        // A backslash at the end of a line continues it.
        loop {
            if next_line(&mut text, &mut line).map_err(wrong)? == 0 {
                break;
            }
            number += 1;
            let end = line.trim_ascii_end().len();
            match line[..end].last() {
                Some(b'\\') => {
                    line.truncate(end - 1);
                    line.push(b' ');
                }
                _ => break,
            }
        }
        if number < begun {
            return Ok(soup);
        }
        let text = String::from_utf8_lossy(&line);
        let mut words = text.split('#').next().unwrap_or("").split_whitespace();
        match words.next() {
            Some("v") => {
                soup.vertices.push(coordinates(words).map_err(wrong)?);
                if soup.vertices.len() > MOST {
                    return Err(wrong(format!("more than {MOST} vertices; simplify the mesh, or split it")));
                }
            }
            Some("f") => {
                let corners = words
                    .enumerate()
                    .map(|(k, word)| obj_corner(k + 1, word, soup.vertices.len()))
                    .collect::<Result<Vec<u32>, _>>()
                    .map_err(wrong)?;
                if corners.len() < 3 {
                    return Err(wrong(format!(
                        "a face needs at least 3 corners, this one has {}",
                        corners.len()
                    )));
                }
                soup.triangles
                    .extend((1..corners.len() - 1).map(|k| [corners[0], corners[k], corners[k + 1]]));
                if soup.triangles.len() > MOST {
                    return Err(wrong(format!("more than {MOST} triangles; simplify the mesh, or split it")));
                }
            }
            _ => {}
        }
    }
}

/// Appends the next line; how many bytes it has.
fn next_line(text: &mut impl BufRead, line: &mut Vec<u8>) -> Result<usize, String> {
    let left = (LONGEST_LINE + 1).saturating_sub(line.len() as u64);
    let length = Read::take(&mut *text, left)
        .read_until(b'\n', line)
        .map_err(|error| format!("cannot be read: {error}"))?;
    if line.len() as u64 > LONGEST_LINE {
        return Err(format!("the line has more than {LONGEST_LINE} bytes; the file is no OBJ text"));
    }
    Ok(length)
}

/// The vertex, counted from 0, that corner `k` such as `7`, `-1` or `7/2/5` names when `count` vertices have been read.
fn obj_corner(k: usize, word: &str, count: usize) -> Result<u32, String> {
    let number = word.split('/').next().unwrap_or("");
    let index: i64 = number.parse().map_err(|_| {
        format!("corner {k} is no number of a vertex; write it as in `f 1 2 3` or `f 1/1/1 2/2/1 3/3/1`")
    })?;
    let back = usize::try_from(index.unsigned_abs()).ok().and_then(|k| count.checked_sub(k));
    let zero_based = match index {
        1.. => usize::try_from(index - 1).ok().filter(|k| *k < count),
        0 => None,
        _ => back,
    };
    let Some(vertex) = zero_based else {
        return Err(format!(
            "corner {k} names a vertex that there is not: {count} are defined up to here; count from 1, or back from -1, and define \
             vertices before the faces that use them"
        ));
    };
    Ok(vertex as u32)
}

/// Three numbers; more (a weight, a colour) are passed over.
fn coordinates<'a>(words: impl Iterator<Item = &'a str>) -> Result<DVec3, String> {
    let mut at = [0.0; 3];
    let mut found = 0;
    for (slot, word) in at.iter_mut().zip(words) {
        found += 1;
        *slot = word
            .parse()
            .map_err(|_| format!("coordinate {found} is no number; write it as in 1.5 or -2e-3"))?;
    }
    if found < 3 {
        return Err(format!("a vertex needs 3 coordinates, this one has {found}"));
    }
    Ok(DVec3::from(at))
}

/// Reads an STL file, text or binary; every triangle gets three vertices of its own.
///
/// It is binary when its size is the one its header announces, whatever it begins with; otherwise text when it begins
/// with `solid`. Normals are passed over: the order of the corners says which side is outside.
///
/// # Errors
/// At the first line that is wrong, or when the size contradicts the header.
pub fn read_stl(bytes: &[u8]) -> Result<TriangleSoup, ReadError> {
    let announced = stl_announced(bytes);
    let found = bytes.len() as u64;
    let expected = |n: u32| STL_HEADER as u64 + u64::from(n) * STL_TRIANGLE as u64;
    if let Some(n) = announced
        && expected(n) == found
    {
        return Ok(stl_binary(&bytes[STL_HEADER..]));
    }
    if bytes.trim_ascii_start().to_ascii_lowercase().starts_with(b"solid")
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return stl_text(text);
    }
    match announced {
        Some(n) => Err(ReadError::Size { triangles: n, expected: expected(n), found }),
        None => Err(ReadError::Header { found }),
    }
}

fn stl_announced(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(STL_HEADER - 4..STL_HEADER)?;
    Some(u32::from_le_bytes([count[0], count[1], count[2], count[3]]))
}

fn stl_binary(body: &[u8]) -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    for record in body.chunks_exact(STL_TRIANGLE) {
        let number = |k: usize| {
            f64::from(f32::from_le_bytes([record[k], record[k + 1], record[k + 2], record[k + 3]]))
        };
        // The normal takes the first 12 bytes.
        push_triangle(&mut soup, [12, 24, 36].map(|k| dvec3(number(k), number(k + 4), number(k + 8))));
    }
    soup
}

fn stl_text(text: &str) -> Result<TriangleSoup, ReadError> {
    let mut soup = TriangleSoup::default();
    let mut corners: Vec<DVec3> = Vec::new();
    let (mut in_solid, mut in_facet, mut last) = (false, false, 0);
    for (number, raw) in text.lines().enumerate() {
        last = number + 1;
        let wrong = |problem: String| ReadError::Line { line: number + 1, problem };
        let mut words = raw.split_whitespace();
        match words.next().unwrap_or("").to_ascii_lowercase().as_str() {
            "" | "outer" | "endloop" => {}
            "solid" => in_solid = true,
            "endsolid" => in_solid = false,
            "facet" => {
                in_facet = true;
                corners.clear();
            }
            "vertex" if in_facet => corners.push(coordinates(words).map_err(wrong)?),
            "endfacet" => {
                let three = <[DVec3; 3]>::try_from(corners.as_slice())
                    .map_err(|_| wrong(format!("the facet has {} vertices, it needs 3", corners.len())))?;
                push_triangle(&mut soup, three);
                in_facet = false;
            }
            _ => {
                let problem = "this is not expected here; a facet reads `facet normal`, `outer loop`, three lines \
                               `vertex x y z`, `endloop`, `endfacet`";
                return Err(wrong(problem.to_owned()));
            }
        }
    }
    if in_facet {
        return Err(ReadError::Ended { line: last, missing: "endfacet" });
    }
    if in_solid {
        return Err(ReadError::Ended { line: last, missing: "endsolid" });
    }
    Ok(soup)
}

fn push_triangle(soup: &mut TriangleSoup, corners: [DVec3; 3]) {
    let first = soup.vertices.len() as u32;
    soup.vertices.extend(corners);
    soup.triangles.push([first, first + 1, first + 2]);
}
