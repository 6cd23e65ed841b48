//! PLY and OFF.

use dolmen::math::DVec3;

use super::{MAX_TRIANGLES, Soup};

/// Longest header of a PLY file, bytes.
const MAX_HEADER: usize = 1 << 16;

const UNKNOWN_TYPE: &str = "a property has a type that PLY does not have";

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Ascii,
    Little,
    Big,
}

#[derive(Clone, Copy)]
enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Number {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

struct Property {
    name: String,
    /// The number of the count, of a list.
    count: Option<Number>,
    number: Number,
}

struct Kind {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

/// The body of a PLY file, read number by number.
struct Body<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: Encoding,
    /// How many have been read of a text.
    numbers: usize,
}

impl Body<'_> {
    fn next(&mut self, number: Number) -> Result<f64, String> {
        let ends = || "the file ends before all elements are read".to_owned();
        if self.encoding == Encoding::Ascii {
            let rest = &self.bytes[self.at..];
            let start = rest.iter().position(|b| !b.is_ascii_whitespace()).ok_or_else(ends)?;
            let length = rest[start..].iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len() - start);
            let word = &rest[start..start + length];
            self.at += start + length;
            self.numbers += 1;
            let parsed = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
            // What the file says instead is not quoted: it may be no mesh at all.
            return parsed.ok_or_else(|| format!("number {} after the header cannot be read", self.numbers));
        }
        let size = number.size();
        let bytes = self.bytes.get(self.at..self.at + size).ok_or_else(ends)?;
        self.at += size;
        let mut raw = [0_u8; 8];
        raw[..size].copy_from_slice(bytes);
        if self.encoding == Encoding::Big {
            raw[..size].reverse();
        }
        let four = [raw[0], raw[1], raw[2], raw[3]];
        let two = [raw[0], raw[1]];
        Ok(match number {
            Number::I8 => f64::from(i8::from_le_bytes([raw[0]])),
            Number::U8 => f64::from(raw[0]),
            Number::I16 => f64::from(i16::from_le_bytes(two)),
            Number::U16 => f64::from(u16::from_le_bytes(two)),
            Number::I32 => f64::from(i32::from_le_bytes(four)),
            Number::U32 => f64::from(u32::from_le_bytes(four)),
            Number::F32 => f64::from(f32::from_le_bytes(four)),
            Number::F64 => f64::from_le_bytes(raw),
        })
    }
}

/// Reads a PLY file, as text or binary.
pub(super) fn read_ply(bytes: &[u8]) -> Result<Soup, String> {
    let marker = b"end_header";
    let head = &bytes[..bytes.len().min(MAX_HEADER)];
    let end = head.windows(marker.len()).position(|window| window == marker).ok_or("no PLY header")?;
    let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let newline = bytes[end..].iter().position(|b| *b == b'\n').ok_or("the PLY header has no end")?;
    let mut lines = header.lines();
    if lines.next().map(str::trim) != Some("ply") {
        return Err("the file does not begin with `ply`".into());
    }
    let mut encoding = None;
    let mut kinds: Vec<Kind> = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            ["format", "ascii", ..] => encoding = Some(Encoding::Ascii),
            ["format", "binary_little_endian", ..] => encoding = Some(Encoding::Little),
            ["format", "binary_big_endian", ..] => encoding = Some(Encoding::Big),
            ["element", name, count] => {
                let count = count.parse().map_err(|_| "the count of an element cannot be read".to_owned())?;
                kinds.push(Kind { name: name.to_owned(), count, properties: Vec::new() });
            }
            ["property", "list", count, number, name] => {
                let known = |word: &str| Number::named(word).ok_or_else(|| UNKNOWN_TYPE.to_owned());
                let property =
                    Property { name: name.to_owned(), count: Some(known(count)?), number: known(number)? };
                kinds.last_mut().ok_or("a property without an element")?.properties.push(property);
            }
            ["property", number, name] => {
                let number = Number::named(number).ok_or_else(|| UNKNOWN_TYPE.to_owned())?;
                let property = Property { name: name.to_owned(), count: None, number };
                kinds.last_mut().ok_or("a property without an element")?.properties.push(property);
            }
            _ => {}
        }
    }
    let encoding = encoding.ok_or("the PLY header names no format")?;
    let mut body = Body { bytes, at: end + newline + 1, encoding, numbers: 0 };
    let mut soup = Soup::default();
    for kind in &kinds {
        if kind.properties.is_empty() {
            continue;
        }
        // Every element has at least a byte: no count beyond the file is believed.
        if kind.count > bytes.len() {
            return Err(format!("{} elements of one kind do not fit into the file", kind.count));
        }
        for _ in 0..kind.count {
            read_element(kind, &mut body, &mut soup)?;
        }
    }
    Ok(soup)
}

fn read_element(kind: &Kind, body: &mut Body<'_>, soup: &mut Soup) -> Result<(), String> {
    let mut vertex = DVec3::ZERO;
    for property in &kind.properties {
        let Some(count) = property.count else {
            let value = body.next(property.number)?;
            match property.name.as_str() {
                "x" => vertex.x = value,
                "y" => vertex.y = value,
                "z" => vertex.z = value,
                _ => {}
            }
            continue;
        };
        let count = body.next(count)?;
        let is_face =
            kind.name == "face" && matches!(property.name.as_str(), "vertex_indices" | "vertex_index");
        if !(0.0..=1e6).contains(&count) {
            return Err(format!("a list of {count} numbers"));
        }
        let mut corners = Vec::new();
        for _ in 0..count as usize {
            let value = body.next(property.number)?;
            if is_face {
                corners.push(index(value)?);
            }
        }
        fan(&corners, &mut soup.triangles)?;
    }
    if kind.name == "vertex" {
        soup.vertices.push(vertex);
    }
    Ok(())
}

fn index(value: f64) -> Result<u32, String> {
    if value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0 {
        return Ok(value as u32);
    }
    Err(format!("{value} is no number of a vertex"))
}

pub(super) fn fan(corners: &[u32], triangles: &mut Vec<[u32; 3]>) -> Result<(), String> {
    for k in 1..corners.len().saturating_sub(1) {
        triangles.push([corners[0], corners[k], corners[k + 1]]);
    }
    if triangles.len() > MAX_TRIANGLES { Err(format!("more than {MAX_TRIANGLES} triangles")) } else { Ok(()) }
}

/// Reads an OFF file.
pub(super) fn read_off(bytes: &[u8]) -> Result<Soup, String> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mut words = lines.flat_map(str::split_ascii_whitespace).peekable();
    let first = words.next().ok_or("the file is empty")?;
    let colours = match first {
        "OFF" | "COFF" => first == "COFF",
        _ => return Err("the file does not begin with `OFF`".into()),
    };
    let mut count = 0;
    let mut next = || -> Result<f64, String> {
        let word = words.next().ok_or("the file ends before all is read")?;
        count += 1;
        word.parse().map_err(|_| format!("number {count} after `OFF` cannot be read"))
    };
    let (vertices, faces, _) = (next()?, next()?, next()?);
    let fits = |count: f64| count >= 0.0 && count.fract() == 0.0 && count <= bytes.len() as f64;
    if !fits(vertices) || !fits(faces) {
        return Err("the counts do not fit the file".into());
    }
    if colours {
        return Err("OFF with colours of vertices cannot be read; leave them out".into());
    }
    let mut soup = Soup::default();
    for _ in 0..vertices as usize {
        soup.vertices.push(DVec3::new(next()?, next()?, next()?));
    }
    for _ in 0..faces as usize {
        let count = next()?;
        if !(0.0..=1e6).contains(&count) {
            return Err(format!("a face of {count} corners"));
        }
        let corners: Vec<u32> =
            (0..count as usize).map(|_| next().and_then(index)).collect::<Result<_, _>>()?;
        fan(&corners, &mut soup.triangles)?;
    }
    Ok(soup)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    const TETRAHEDRON: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const FACES: [[u8; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

    /// PLY as text and in both binary orders, and OFF, give the same tetrahedron.
    #[test]
    fn all_forms_of_a_tetrahedron_agree() {
        let header = |format: &str| {
            format!(
                "ply\nformat {format} 1.0\ncomment x\nelement vertex 4\nproperty float x\nproperty float y\nproperty \
                 float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
            )
        };
        let mut text = header("ascii");
        for [x, y, z] in TETRAHEDRON {
            let _ = writeln!(text, "{x} {y} {z}");
        }
        for [a, b, c] in FACES {
            let _ = writeln!(text, "3 {a} {b} {c}");
        }
        let mut files = vec![read_ply(text.as_bytes()).unwrap()];
        for (format, big) in [("binary_little_endian", false), ("binary_big_endian", true)] {
            let mut bytes = header(format).into_bytes();
            for value in TETRAHEDRON.iter().flatten() {
                let value = *value as f32;
                bytes.extend(if big { value.to_be_bytes() } else { value.to_le_bytes() });
            }
            for face in FACES {
                bytes.push(3);
                for corner in face {
                    let corner = i32::from(corner);
                    bytes.extend(if big { corner.to_be_bytes() } else { corner.to_le_bytes() });
                }
            }
            files.push(read_ply(&bytes).unwrap());
        }
        let mut off = "OFF # comment\n4 4 6\n".to_owned();
        for [x, y, z] in TETRAHEDRON {
            let _ = writeln!(off, "{x} {y} {z}");
        }
        for [a, b, c] in FACES {
            let _ = writeln!(off, "3 {a} {b} {c}");
        }
        files.push(read_off(off.as_bytes()).unwrap());
        for soup in files {
            assert!((soup.volume() - 1.0 / 6.0).abs() < 1e-15);
            assert_eq!(soup.vertices.len(), 4);
        }
    }
}
