//! Enums whose values have names.

use std::fmt;

/// A name that is not among those known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// The kind of thing that has a name.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// All names that are known.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} {:?} (", self.what, self.name)?;
        for (index, name) in self.known.iter().enumerate() {
            let separator = match self.known.len() - index {
                _ if index == 0 => "",
                1 => " or ",
                _ => ", ",
            };
            write!(f, "{separator}{name}")?;
        }
        f.write_str(")")
    }
}

impl std::error::Error for UnknownName {}

/// Declares an enum whose values have names: a list of all, `name`, `Display` and, if the kind of
/// thing is given in parentheses, `FromStr`.
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $enum:ident $(($what:literal))? {
            $($(#[$variant_meta:meta])* $variant:ident = $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum $enum {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $enum {
            /// All of them.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name in arguments and reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The one with a name.
            fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        $(
            impl std::str::FromStr for $enum {
                type Err = $crate::types::UnknownName;

                fn from_str(text: &str) -> Result<Self, Self::Err> {
                    Self::named(text).ok_or_else(|| $crate::types::UnknownName {
                        what: $what,
                        name: text.to_owned(),
                        known: Self::ALL.map(Self::name).to_vec(),
                    })
                }
            }
        )?
    };
}
pub(crate) use named_enum;
